/** The facts in the mails about applications of suppliers. */
export const APPLICATION_FACTS = {
  name: { of: "application.name", shown: "{{ application.name | truncate: 120 }}" },
  email: { of: "application.email", shown: "{{ application.email | truncate: 120 }}" },
  country: { of: "application.country", shown: "{{ application.country | truncate: 2 }}" },
};

export const APPLICATION_NAMES = {
  en: { name: "Name", email: "E-mail", country: "Country" },
  de: { name: "Name", email: "E-Mail", country: "Land" },
  ar: { name: "الاسم", email: "البريد الإلكتروني", country: "البلد" },
};

export const SAMPLE_APPLICATION = {
  application: {
    id: "5b1f0c8e-7a61-4f0e-8f0e-0c7a3d2b9e11",
    status: "pending",
    name: "Atlas Crafts",
    email: "salma@example.com",
    country: "MA",
    message: "We make lanterns.",
    reason: null as string | null,
  },
};
