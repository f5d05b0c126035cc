/** The superuser, as on hosted projects. The stack's services use the database with it. */
export const ADMIN = "supabase_admin";

/**
 * The owner of what a project creates, as on hosted projects: migrations, seeds and jobs run as this role, which is no
 * superuser.
 */
export const OWNER = "postgres";
