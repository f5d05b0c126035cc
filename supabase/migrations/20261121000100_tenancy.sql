-- Tenants and their members with roles. All other migrations use these tables and functions to find out which tenant
-- and role a request has.

create schema private;
comment on schema private is 'Helpers, triggers and secrets. Never exposed by the API.';
grant usage on schema private to authenticated, service_role, supabase_auth_admin;

create extension if not exists unaccent with schema extensions;

-- pg_net and pg_cron call functions after a commit and on a schedule.
do $$
begin
  if to_regclass('net.http_request_queue') is null then
    create extension if not exists pg_net with schema extensions;
  end if;
  if to_regclass('cron.job') is null then
    create extension if not exists pg_cron with schema pg_catalog;
  end if;
end
$$;

-- Nothing is granted by default. Each migration grants the rights on its own tables and functions.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke all on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;
alter default privileges in schema public grant all on tables to service_role;
alter default privileges in schema public grant execute on functions to service_role;

-- A statement may take 8 seconds, as on the hosted platform, and waits at most 2 seconds for a lock. Functions that need
-- longer set their own timeout. A waiting statement holds a connection, which all tenants share.
alter role authenticated set statement_timeout = '8s';
alter role authenticated set lock_timeout = '2s';

-- A request reads the rows of one tenant, but a cached plan estimates them as a share of all rows. From a million
-- products on, such a plan would start parallel workers (5 ms, where the rows take 0.1 ms), and from ten million on it
-- would compile the statement each time.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['anon', 'authenticated', 'service_role'] loop
    execute format('alter role %I set max_parallel_workers_per_gather = 0', role_name);
    execute format('alter role %I set jit = off', role_name);
  end loop;
end
$$;

create type public.member_role as enum ('customer', 'supplier', 'client', 'admin');
create type public.member_status as enum ('active', 'suspended');
-- The collation "C" compares bytes, which is the same on every server.
create domain private.sort_text as text collate "C";
comment on domain private.sort_text is 'A folded text by which rows are sorted.';
-- Kinds of advisory locks, for subjects without a row. The position of a kind is the first integer of its locks.
create type private.lock_kind as enum (
  'idempotency_key', 'category_tree', 'import', 'webhook', 'search_texts', 'category_campaigns', 'campaign_run', 'cap',
  'media_folders', 'sales_rollup', 'exports', 'templates'
);

-- tables ---------------------------------------------------------------------------------------

-- Defined here because check constraints of the tables use it. It is the rule of HTML's <input type="email">, as in
-- Supabase Auth.
create function private.is_email(address text) returns boolean
language sql immutable set search_path = ''
as $$
  select char_length(address) <= 320
    and address ~ '^[a-z0-9.!#$%&''*+/=?^_`{|}~-]+@[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$'
$$;
comment on function private.is_email is
  'Whether a text is an e-mail address in lower case, an internationalised domain in Punycode.';

create function private.is_uuid(words text) returns boolean
language sql immutable
return words ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
comment on function private.is_uuid is 'Whether a text is a UUID in its usual form, so that casting it does not fail.';

-- In a regular expression, \s depends on the server's locale. This list covers the spaces of all languages.
create function private.trimmed(words text) returns text
language sql immutable
return regexp_replace(
  words,
  '^[\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+|[\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+$',
  '', 'g'
);
comment on function private.trimmed is 'A text without leading and trailing spaces.';

-- Addresses of the web are excluded, because normalisation could change where they lead.
create function private.nfc(words text) returns text
language sql immutable
return case when words ~ '^https?://\S+$' then words else normalize(words, nfc) end;
comment on function private.nfc(text) is 'A text in Unicode NFC, in which all texts are stored. Addresses do not change.';

create function private.nfc(value jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  -- Most texts are ASCII, and most others are already in NFC.
  if octet_length(value::text) = char_length(value::text) or value::text is nfc normalized then
    return value;
  end if;
  return case jsonb_typeof(value)
    when 'string' then to_jsonb(private.nfc(value #>> '{}'))
    when 'array' then (
      select jsonb_agg(private.nfc(e.value) order by e.position)
      from jsonb_array_elements(value) with ordinality as e (value, position)
    )
    else (select jsonb_object_agg(normalize(e.key, nfc), private.nfc(e.value)) from jsonb_each(value) as e)
  end;
end
$$;
comment on function private.nfc(jsonb) is 'A JSON value whose texts and field names are in Unicode NFC.';

-- The Greek letter sigma has two lower-case forms and one upper-case form, so the text is converted to upper case first.
create function private.folded_name(name text) returns text
language sql immutable
return lower(upper(normalize(private.trimmed(name), nfc)));
comment on function private.folded_name is
  'The form in which names are compared: Unicode NFC, without leading and trailing spaces, without case.';

-- Unicode's separators, control and format characters, default ignorable characters, and the blank Braille pattern.
create function private.is_more_than_spaces(words text) returns boolean
language sql immutable
return words ~ (
  '[^\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f'
  '\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]'
);
comment on function private.is_more_than_spaces is
  'Whether a text has a visible character. Spaces, control characters and characters without width are not visible.';

create function private.plain_letters(said text) returns text
language plpgsql stable set search_path = ''
as $$
begin
  -- Trademark signs are not part of a word, and a fraction is not part of the number before it.
  said := regexp_replace(said, '[\u00a9\u00ae\u2117\u2120\u2122\u24b8\u24c7]+', ' ', 'g');
  said := regexp_replace(said, '([\u00bc-\u00be\u2150-\u215f\u2189])', ' \1 ', 'g');
  said := normalize(said, nfkc);
  -- Invisible characters (soft hyphens, joiners, direction marks, variation selectors), and the points of Hebrew and Arabic.
  said := regexp_replace(
    said,
    '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000E0000-\U000E0FFF'
      || '\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]+',
    '', 'g'
  );
  -- Arabic letters that are written for each other, and Arabic digits.
  said := translate(
    said,
    U&'\0623\0625\0622\0671\0624\0626\0629\0649\06CC\06D0\06A9\0643\06C1\06D5\06BE\06C0\0660\0661\0662\0663\0664\0665\0666\0667\0668\0669\06F0\06F1\06F2\06F3\06F4\06F5\06F6\06F7\06F8\06F9',
    U&'\0627\0627\0627\0627\0648\064A\0647\064A\064A\064A\0643\0643\0647\0647\0647\0647\0030\0031\0032\0033\0034\0035\0036\0037\0038\0039\0030\0031\0032\0033\0034\0035\0036\0037\0038\0039'
  );
  said := translate(said, U&'\2010\2011\2012\2013\2014\2015\2212\FE58\FE63\FF0D', '----------');
  said := translate(said, U&'\2018\2019\201B\02BB\02BC\02B9\2032\FF07\0060\00B4', '''''''''''''''''''''');
  said := regexp_replace(said, '[ \u2000-\u206f\u2190-\u2bff\u3000-\u3004\u3008-\u3020\u30fb]+', ' ', 'g');
  said := extensions.unaccent(said);
  -- Further letters of Latin and Cyrillic script, as in Azeri, Kazakh and Ukrainian. They are rare.
  if said ~ '[\u0181-\u024f\u0460-\u052f]' then
    said := translate(
      said,
      U&'\0184\0186\018E\018F\0194\019C\019F\01A6\01A7\01A9\01B1\01B7\01B8\01BC\01E2\01EE\01F6\01F7\01FC\01FE\021C\0220\0222\0241\0245\024A\0460\0462\0464\0466\0468\046A\046C\046E\0470\0472\0474\0476\0478\047A\047C\047E\0480\048A\048C\048E\0490\0492\0494\0496\0498\049A\049C\049E\04A0\04A2\04A4\04A6\04A8\04AA\04AC\04AE\04B0\04B2\04B4\04B6\04B8\04BA\04BC\04BE\04C0\04C1\04C3\04C5\04C7\04C9\04CB\04CD\04D0\04D2\04D4\04D6\04D8\04DA\04DC\04DE\04E0\04E2\04E4\04E6\04E8\04EA\04EC\04EE\04F0\04F2\04F4\04F6\04F8\04FA\04FC\04FE\0500\0502\0504\0506\0508\050A\050C\050E\0510\0512\0514\0516\0518\051A\051C\051E\0520\0522\0524\0526\0528\052A\052C\052E',
      U&'\0185\0254\01DD\0259\0263\026F\0275\0280\01A8\0283\028A\0292\01B9\01BD\01E3\01EF\0195\01BF\01FD\01FF\021D\019E\0223\0242\028C\024B\0461\0463\0465\0467\0469\046B\046D\046F\0471\0473\0475\0477\0479\047B\047D\047F\0481\048B\048D\048F\0491\0493\0495\0497\0499\049B\049D\049F\04A1\04A3\04A5\04A7\04A9\04AB\04AD\04AF\04B1\04B3\04B5\04B7\04B9\04BB\04BD\04BF\04CF\04C2\04C4\04C6\04C8\04CA\04CC\04CE\04D1\04D3\04D5\04D7\04D9\04DB\04DD\04DF\04E1\04E3\04E5\04E7\04E9\04EB\04ED\04EF\04F1\04F3\04F5\04F7\04F9\04FB\04FD\04FF\0501\0503\0505\0507\0509\050B\050D\050F\0511\0513\0515\0517\0519\051B\051D\051F\0521\0523\0525\0527\0529\052B\052D\052F'
    );
  end if;
  -- Greek, Cyrillic and Armenian: with collation "C", lower() converts only ASCII.
  return translate(
    said,
    U&'\0391\0392\0393\0394\0395\0396\0397\0398\0399\039A\039B\039C\039D\039E\039F\03A0\03A1\03A3\03A4\03A5\03A6\03A7\03A8\03A9\0400\0401\0402\0403\0404\0405\0406\0407\0408\0409\040A\040B\040C\040D\040E\040F\0410\0411\0412\0413\0414\0415\0416\0417\0418\0419\041A\041B\041C\041D\041E\041F\0420\0421\0422\0423\0424\0425\0426\0427\0428\0429\042A\042B\042C\042D\042E\042F\0531\0532\0533\0534\0535\0536\0537\0538\0539\053A\053B\053C\053D\053E\053F\0540\0541\0542\0543\0544\0545\0546\0547\0548\0549\054A\054B\054C\054D\054E\054F\0550\0551\0552\0553\0554\0555\0556',
    U&'\03B1\03B2\03B3\03B4\03B5\03B6\03B7\03B8\03B9\03BA\03BB\03BC\03BD\03BE\03BF\03C0\03C1\03C3\03C4\03C5\03C6\03C7\03C8\03C9\0450\0451\0452\0453\0454\0455\0456\0457\0458\0459\045A\045B\045C\045D\045E\045F\0430\0431\0432\0433\0434\0435\0436\0437\0438\0439\043A\043B\043C\043D\043E\043F\0440\0441\0442\0443\0444\0445\0446\0447\0448\0449\044A\044B\044C\044D\044E\044F\0561\0562\0563\0564\0565\0566\0567\0568\0569\056A\056B\056C\056D\056E\056F\0570\0571\0572\0573\0574\0575\0576\0577\0578\0579\057A\057B\057C\057D\057E\057F\0580\0581\0582\0583\0584\0585\0586'
  );
end
$$;
comment on function private.plain_letters is
  'Converts a text that is not ASCII into the letters that search compares: without accents and invisible characters, and with one letter for interchangeable ones.';

create function private.plain(said text) returns text
language plpgsql stable set search_path = ''
as $$
begin
  if octet_length(said) > char_length(said) then
    said := private.plain_letters(said);
  end if;
  -- With collation "C", because others may map I to another letter.
  return lower(said collate "C");
end
$$;
comment on function private.plain is 'A text in lower case and without accents, including punctuation.';

create function private.sort_name(name text) returns text
language plpgsql immutable security definer set search_path = ''
as $$
begin
  return private.plain(name);
end
$$;
comment on function private.sort_name is
  'The sort key of names, without case and accents. Compared with collate "C", it gives the same order on every server.';

create function private.is_language(tag text) returns boolean
language sql immutable
return tag ~ '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$';
comment on function private.is_language is 'Whether a text is a language tag, such as en or pt-BR.';

-- JSON keeps all digits of a number, even sixteen thousand zeros, and returns them to every reader.
create function private.has_short_numbers(value jsonb) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  -- Only a text with 31 digits in a row needs to be parsed, which is rare.
  return value::text !~ '[0-9.]{31}' or not exists (
    select from jsonb_path_query(value, 'strict $.** ? (@.type() == "number")') as found (number)
    where octet_length(found.number::text) > 31
  );
end
$$;
comment on function private.has_short_numbers is 'Whether every number in a JSON value has at most 30 digits.';

create table public.tenants (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  time_zone text not null default 'UTC',
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  constraint tenants_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint tenants_name_is_more_than_spaces check (private.is_more_than_spaces(name))
);
comment on table public.tenants is 'The business of one operator: its marketplaces, members and orders. time_zone: an IANA name, which determines the start of the tenant''s days. settings: by capability, set by admins; each capability checks its own.';

create table public.suppliers (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  name text not null,
  verified boolean not null default false,
  legal jsonb not null default '{}',
  created_at timestamptz not null default now(),
  constraint suppliers_tenant_id_id_key unique (tenant_id, id),
  constraint suppliers_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint suppliers_name_is_more_than_spaces check (private.is_more_than_spaces(name))
);
comment on table public.suppliers is
  'An organisation that sells on a tenant''s marketplaces. It has members. legal: its legal identity (name, address, tax_id, all optional), which each order copies.';

create table public.customers (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  user_id uuid references auth.users (id) on delete set null,
  name text not null default '',
  email text collate "C",
  language text,
  external_id text,
  created_at timestamptz not null default now(),
  constraint customers_tenant_id_id_key unique (tenant_id, id),
  constraint customers_tenant_id_user_id_key unique (tenant_id, user_id),
  constraint customers_name_is_at_most_200_characters check (char_length(name) <= 200),
  constraint customers_name_is_empty_or_more_than_spaces check (name = '' or private.is_more_than_spaces(name)),
  constraint customers_email_is_an_address_in_lower_case check (private.is_email(email)),
  constraint customers_language_is_a_language check (private.is_language(language)),
  constraint customers_external_id_is_1_to_200_characters check (char_length(external_id) between 1 and 200)
);
comment on table public.customers is
  'A customer of the tenant, with or without an account. It remains when the account is deleted, because its orders remain. language: the language of mails to it; null if unknown. external_id: its id in the system that its past orders were imported from.';

create table public.members (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  role public.member_role not null,
  status public.member_status not null default 'active',
  supplier_id uuid,
  content_roles text[] not null default '{}',
  email text collate "C" not null,
  name text not null,
  is_anonymous boolean not null default false,
  created_at timestamptz not null default now(),
  constraint members_pkey primary key (tenant_id, user_id),
  constraint members_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint members_supplier_id_is_set_for_suppliers_only
    check ((role = 'supplier') = (supplier_id is not null)),
  constraint members_content_roles_is_of_editor_reviewer_publisher_admin
    check (content_roles <@ array['editor', 'reviewer', 'publisher', 'admin'])
);
comment on table public.members is
  'The users of each tenant with their roles. email, name and is_anonymous are copies from the account. is_anonymous: a guest, whose email is empty.';

-- indexes --------------------------------------------------------------------------------------

create index members_user_id_idx on public.members (user_id);
create index members_supplier_idx on public.members (tenant_id, supplier_id);
create index members_tenant_id_created_at_idx on public.members (tenant_id, created_at desc, user_id);
create index members_tenant_id_email_idx on public.members (tenant_id, email);
create index members_tenant_id_is_anonymous_idx on public.members (tenant_id, is_anonymous, created_at desc, user_id);
create index members_tenant_id_role_idx on public.members (tenant_id, role, status, created_at desc, user_id);
create index members_tenant_id_name_idx
  on public.members (tenant_id, (private.sort_name(name) collate "C"), user_id);
create index suppliers_tenant_id_name_idx on public.suppliers (tenant_id, (private.sort_name(name) collate "C"), id);
create index customers_tenant_id_name_idx on public.customers (tenant_id, (private.sort_name(name) collate "C"), id);
create index suppliers_tenant_id_created_at_idx on public.suppliers (tenant_id, created_at desc, id);
create index customers_user_id_idx on public.customers (user_id);
create index customers_tenant_id_created_at_idx on public.customers (tenant_id, created_at desc, id);
create index customers_tenant_id_email_idx on public.customers (tenant_id, email);
create index customers_tenant_id_external_id_idx on public.customers (tenant_id, external_id) where external_id is not null;

-- functions ------------------------------------------------------------------------------------

create function public.sort_name(supplier public.suppliers) returns private.sort_text
language sql immutable
return private.sort_name((supplier).name);
comment on function public.sort_name(public.suppliers) is
  'What suppliers are sorted by when they are sorted by name: .order(''sort_name'').';

create function public.sort_name(customer public.customers) returns private.sort_text
language sql immutable
return private.sort_name((customer).name);
comment on function public.sort_name(public.customers) is
  'What customers are sorted by when they are sorted by name: .order(''sort_name'').';

create function public.sort_name(member public.members) returns private.sort_text
language sql immutable
return private.sort_name((member).name);
comment on function public.sort_name(public.members) is
  'What members are sorted by when they are sorted by name: .order(''sort_name'').';

create function private.told_value(value jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  -- Ten bytes can stand for a number of sixteen thousand digits. A refusal may be stored and sent again, so it must be small.
  return case when octet_length(value::text) <= 8192 and private.has_short_numbers(value) then value end;
end
$$;
comment on function private.told_value is 'The value to show in a refusal: the sent value, or null if it is large.';

create function private.refusal(
  code text, message text, field text default null, value jsonb default null, beside jsonb default '{}'
) returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  status text := case code
    when 'INVALID_REQUEST' then '400'
    when 'FORBIDDEN' then '403'
    when 'NOT_FOUND' then '404'
    when 'CONFLICT' then '409'
    else '422'
  end;
begin
  -- PostgREST responds to a condition PTxyz with the HTTP status xyz.
  return jsonb_build_object(
    'code', 'PT' || status, 'message', code, 'hint', message,
    'details', (
      case
        when field is null then '{}' else jsonb_build_object('field', field, 'value', private.told_value(value))
      end || beside
    )::text
  );
end
$$;
comment on function private.refusal is
  'The error that refuse raises, in the form of PostgREST. For lists in which single lines can be refused.';

create function private.refuse(
  code text, message text, field text default null, value jsonb default null, beside jsonb default '{}'
) returns void
language plpgsql set search_path = ''
as $$
declare
  told constant jsonb := private.refusal(code, message, field, value, beside);
begin
  raise exception using
    errcode = told ->> 'code', message = told ->> 'message', hint = told ->> 'hint', detail = told ->> 'details';
end
$$;
comment on function private.refuse is
  'Ends the transaction with an error: a code of docs/errors.md, a message, the invalid field and its value, and further details.';

create function private.known_only(wish jsonb, known text[], inside text default '') returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  unknown text;
begin
  if jsonb_typeof(wish) <> 'object' then
    perform private.refuse('VALIDATION_ERROR', 'This must be an object.', nullif(rtrim(inside, '.'), ''));
  end if;
  unknown := (select k.key from jsonb_object_keys(wish) as k (key) where k.key <> all (known) order by 1 limit 1);
  if unknown is not null then
    perform private.refuse('VALIDATION_ERROR', unknown || ' is not known here.', inside || unknown);
  end if;
  return wish;
end
$$;
comment on function private.known_only is
  'Returns the input unchanged. Refuses with VALIDATION_ERROR an input with unknown fields.';

create function private.lock_key(subject text) returns integer
language sql immutable set search_path = ''
as $$
  select ('x' || encode(substring(sha256(convert_to(subject, 'utf8')) for 4), 'hex'))::bit(32)::integer
$$;
comment on function private.lock_key is
  'The second integer of an advisory lock. Subjects of the same kind with the same integer wait for each other.';

create function private.hold(kind private.lock_kind, subject text, shared boolean default false) returns void
language plpgsql set search_path = '' set lock_timeout = '2s'
as $$
declare
  kind_key integer := array_position(enum_range(null::private.lock_kind), kind);
begin
  if shared then
    perform pg_advisory_xact_lock_shared(kind_key, private.lock_key(subject));
  else
    perform pg_advisory_xact_lock(kind_key, private.lock_key(subject));
  end if;
exception
  when lock_not_available then
    perform private.refuse('CONFLICT', 'Another request is changing the same record. Try again.');
end
$$;
comment on function private.hold is
  'Takes the lock of a subject until the end of the transaction, exclusive or shared. Waits up to two seconds, then refuses with CONFLICT. Subjects include their tenant, user or record.';

create function private.try_hold(kind private.lock_kind, subject text, shared boolean default false) returns boolean
language plpgsql set search_path = ''
as $$
declare
  kind_key integer := array_position(enum_range(null::private.lock_kind), kind);
begin
  return case
    when shared then pg_try_advisory_xact_lock_shared(kind_key, private.lock_key(subject))
    else pg_try_advisory_xact_lock(kind_key, private.lock_key(subject))
  end;
end
$$;
comment on function private.try_hold is
  'Tries to take the lock of a subject until the end of the transaction, exclusive or shared. Returns whether it succeeded. It never waits.';

-- Every policy uses these functions, so they are PL/pgSQL: it caches their plans for the session. A function in SQL is
-- planned at each call and takes eight times as long.

create function private.tenant_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select m.tenant_id
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  );
end
$$;
comment on function private.tenant_id() is 'The caller''s tenant; null without an active membership.';

create function private.tenant_role() returns public.member_role
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select m.role
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  );
end
$$;
comment on function private.tenant_role() is
  'The caller''s current role, which may differ from the token''s; null without an active membership.';

-- The only list of these roles. It has no settings, so that Postgres inlines it into queries.
create function private.reads_all(role public.member_role) returns boolean
language sql immutable
return coalesce(role in ('admin', 'client'), false);
comment on function private.reads_all(public.member_role) is
  'Whether a role reads all data of its tenant. Other roles read only what their own policies allow.';

create function private.members_only() returns void
language plpgsql stable set search_path = ''
as $$
begin
  if current_user in ('anon', 'authenticated') and private.tenant_id() is null then
    perform private.refuse('FORBIDDEN', 'You are not an active member of this tenant.');
  end if;
end
$$;
comment on function private.members_only() is
  'Refuses callers without an active membership with FORBIDDEN. Without it, policies would show an empty list.';

create function private.reads_all() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return private.reads_all(private.tenant_role());
end
$$;
comment on function private.reads_all() is 'Whether the caller''s role reads all data of the tenant.';

create function private.supplier_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select m.supplier_id
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  );
end
$$;
comment on function private.supplier_id() is 'The caller''s organisation; null unless the caller is a supplier.';

create function private.customer_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select c.id
    from public.customers c
    where c.tenant_id = private.tenant_id()
      and c.user_id = (select auth.uid())
  );
end
$$;
comment on function private.customer_id() is 'The caller''s customer record in the tenant; null if there is none.';

create function private.is_guest() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return exists (
    select 1
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.is_anonymous
  );
end
$$;
comment on function private.is_guest() is 'Whether the caller is a guest: a member of the tenant that has not registered.';

create function private.only_for() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- Definer functions and the service role run as other users. They make their own checks.
  if current_user in ('anon', 'authenticated')
    and not coalesce((select private.tenant_role())::text = any (tg_argv), false)
  then
    perform private.refuse('FORBIDDEN', 'Your role may not change ' || tg_table_name || '.');
  end if;
  return null;
end
$$;
comment on function private.only_for() is
  'Statement trigger: refuses with FORBIDDEN, even where no row matches, unless the caller has one of the named roles.';

create function private.account_name(metadata jsonb, email text) returns text
language sql immutable set search_path = ''
as $$
  select left(
    coalesce(
      case when private.is_more_than_spaces(left(metadata ->> 'name', 200)) then metadata ->> 'name' end,
      substring(email from '^(.*)@'), ''
    ),
    200
  )
$$;
comment on function private.account_name is
  'The name of an account: the given name, or else the part of its address before the @.';

create function private.account_language(metadata jsonb) returns text
language sql immutable set search_path = ''
as $$
  select metadata ->> 'language' where private.is_language(metadata ->> 'language')
$$;
comment on function private.account_language is
  'The language that a user has chosen for mails; null if none. It is validated, because users can write any value into their metadata.';

create function private.fit_member() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    select lower(u.email), private.account_name(u.raw_user_meta_data, u.email), u.is_anonymous
    into new.email, new.name, new.is_anonymous
    from auth.users u
    where u.id = new.user_id;
    new.email := coalesce(new.email, '');
    new.name := coalesce(new.name, '');
    new.is_anonymous := coalesce(new.is_anonymous, false);
  elsif new.role <> 'supplier' and old.role = 'supplier' and new.supplier_id = old.supplier_id then
    new.supplier_id := null;
  end if;
  if new.role = 'supplier' and new.supplier_id is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'supplier_id is required for the role supplier.', 'supplier_id', 'null'
    );
  end if;
  return new;
end
$$;
comment on function private.fit_member() is
  'Row trigger: copies e-mail, name and is_anonymous of the account to a new member. Removes the organisation of a member that is no longer a supplier.';

create function private.open_customer() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.customers (tenant_id, user_id, name, email, language)
  select
    new.tenant_id, new.user_id, new.name, case when private.is_email(new.email) then new.email end,
    private.account_language(u.raw_user_meta_data)
  from auth.users u
  where u.id = new.user_id
  on conflict on constraint customers_tenant_id_user_id_key do nothing;
  return null;
end
$$;
comment on function private.open_customer() is
  'Row trigger: gives a member who may order a customer record, the earlier one if it exists.';

create function private.keep_an_admin() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Two admins may leave at the same time. The lock makes the second count after the first has committed.
  perform 1 from public.tenants t where t.id = old.tenant_id for no key update;
  -- Without the tenant, its members are being deleted with it.
  if found and not exists (
    select 1
    from public.members m
    where m.tenant_id = old.tenant_id and m.role = 'admin' and m.status = 'active'
  ) then
    perform private.refuse(
      'LAST_ADMIN', 'A tenant keeps at least one active admin. Appoint another one first.'
    );
  end if;
  return null;
end
$$;
comment on function private.keep_an_admin() is
  'Row trigger: refuses with LAST_ADMIN if the last active admin of a tenant would be removed, suspended or demoted.';

create function private.follow_account() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  address text := coalesce(lower(new.email), '');
  display_name text := private.account_name(new.raw_user_meta_data, new.email);
begin
  update public.members m
  set email = address, name = display_name, is_anonymous = new.is_anonymous
  where m.user_id = new.id;
  -- A soft-deleted account has a hash instead of its address.
  update public.customers c
  set email = case when private.is_email(address) then address end, name = display_name,
      language = private.account_language(new.raw_user_meta_data)
  where c.user_id = new.id;
  return null;
end
$$;
comment on function private.follow_account() is
  'Row trigger: copies changes of an account''s e-mail and name to its memberships and customers, its is_anonymous to memberships, and its language to customers.';

create function private.check_supplier() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if current_user = 'authenticated' and private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Only admins can verify suppliers.', 'verified', to_jsonb(new.verified));
  end if;
  return new;
end
$$;
comment on function private.check_supplier() is 'Row trigger: only admins can change verified.';

create function private.end_verification() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if current_user = 'authenticated' and private.tenant_role() is distinct from 'admin' then
    new.verified := false;
  end if;
  return new;
end
$$;
comment on function private.end_verification() is
  'Row trigger: a supplier that changes its own name is no longer verified, because the old name was verified.';

create function private.check_time_zone(time_zone text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  -- Names of regions include daylight saving time; abbreviations and offsets do not.
  if time_zone !~ '^(UTC|[A-Za-z_]+(/[A-Za-z0-9_+-]+)+)$' or char_length(time_zone) > 100 then
    perform private.refuse(
      'VALIDATION_ERROR', 'time_zone must be a name such as Europe/Berlin, or UTC.', 'time_zone', to_jsonb(time_zone)
    );
  end if;
  perform now() at time zone time_zone;
exception
  when invalid_parameter_value then
    perform private.refuse('VALIDATION_ERROR', 'There is no such time zone.', 'time_zone', to_jsonb(time_zone));
end
$$;
comment on function private.check_time_zone is 'Refuses with VALIDATION_ERROR a text that is not the name of a time zone.';

create function private.check_tenant_time_zone() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform private.check_time_zone(new.time_zone);
  return new;
end
$$;
comment on function private.check_tenant_time_zone() is 'Row trigger: refuses a tenant''s time_zone that is not the name of a time zone.';

create function private.check_tenant_settings() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if jsonb_typeof(new.settings) is distinct from 'object' then
    perform private.refuse('VALIDATION_ERROR', 'settings must be an object.', 'settings', new.settings);
  end if;
  -- A capability with settings adds its name here.
  perform private.known_only(new.settings, array['analytics', 'content', 'media'], 'settings.');
  return new;
end
$$;
comment on function private.check_tenant_settings() is 'Row trigger: refuses unknown settings.';

create function public.update_tenant(changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  changed public.tenants;
begin
  perform private.known_only(changes, array['name', 'time_zone', 'settings']);
  update public.tenants t
  set name = case when changes ? 'name' then changes ->> 'name' else t.name end,
      time_zone = case when changes ? 'time_zone' then changes ->> 'time_zone' else t.time_zone end,
      settings = case
        when not changes ? 'settings' then t.settings
        when jsonb_typeof(changes -> 'settings') <> 'object' then changes -> 'settings'
        else (
          select jsonb_strip_nulls(t.settings || coalesce(jsonb_object_agg(
            wish.key,
            case when jsonb_typeof(wish.value) = 'object'
              then coalesce(t.settings -> wish.key, '{}') || wish.value
              else wish.value
            end
          ), '{}'))
          from jsonb_each(changes -> 'settings') as wish
        )
      end
  where t.id = private.tenant_id()
  returning * into changed;
  return to_jsonb(changed);
end
$$;
comment on function public.update_tenant is
  'For admins: changes the tenant''s name, time_zone and settings, and returns its whole record. Settings that are not sent do not change; null removes one.';

create function private.touch() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function private.touch() is 'Row trigger: sets updated_at to the time of the change.';

create function public.create_supplier(name text, verified boolean default false, legal jsonb default '{}') returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created public.suppliers;
begin
  insert into public.suppliers (name, verified, legal)
  values (create_supplier.name, create_supplier.verified, create_supplier.legal)
  returning * into created;
  return to_jsonb(created);
end
$$;
comment on function public.create_supplier is
  'For admins: creates a supplier and returns its whole record.';

create function public.create_customer(name text, email text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created public.customers;
begin
  insert into public.customers (name, email)
  values (create_customer.name, lower(create_customer.email))
  returning * into created;
  return to_jsonb(created);
end
$$;
comment on function public.create_customer is
  'For admins and clients: creates a customer without an account, for whom they can order. Returns the whole record.';

alter table public.suppliers alter column tenant_id set default private.tenant_id();
alter table public.customers alter column tenant_id set default private.tenant_id();

-- triggers -------------------------------------------------------------------------------------

create trigger tenants_are_changed_by_admins
  before insert or update or delete on public.tenants
  for each statement execute function private.only_for('admin');

create trigger tenants_check_settings
  before insert or update of settings on public.tenants
  for each row execute function private.check_tenant_settings();

create trigger tenants_check_time_zone
  before insert or update of time_zone on public.tenants
  for each row execute function private.check_tenant_time_zone();

create trigger members_are_changed_by_admins
  before insert or update or delete on public.members
  for each statement execute function private.only_for('admin');

create trigger members_fit
  before insert or update of role, supplier_id on public.members
  for each row execute function private.fit_member();

create trigger members_open_customer
  after insert or update of role on public.members
  for each row when (new.role = 'customer')
  execute function private.open_customer();

create trigger members_keep_an_admin_who_changes
  after update of role, status on public.members
  for each row when (
    old.role = 'admin' and old.status = 'active' and not (new.role = 'admin' and new.status = 'active')
  )
  execute function private.keep_an_admin();

create trigger members_keep_an_admin_who_goes
  after delete on public.members
  for each row when (old.role = 'admin' and old.status = 'active')
  execute function private.keep_an_admin();

create trigger members_follow_their_account
  after update of email, raw_user_meta_data, is_anonymous on auth.users
  for each row when (
    old.email is distinct from new.email
    or old.is_anonymous <> new.is_anonymous
    or old.raw_user_meta_data ->> 'name' is distinct from new.raw_user_meta_data ->> 'name'
    or old.raw_user_meta_data ->> 'language' is distinct from new.raw_user_meta_data ->> 'language'
  )
  execute function private.follow_account();

create trigger suppliers_are_opened_by_admins
  before insert or delete on public.suppliers
  for each statement execute function private.only_for('admin');

create trigger suppliers_are_changed_by_admins_and_suppliers
  before update on public.suppliers
  for each statement execute function private.only_for('admin', 'supplier');

create trigger suppliers_check_supplier
  before update of verified on public.suppliers
  for each row when (old.verified <> new.verified)
  execute function private.check_supplier();

-- It runs after suppliers_check_supplier: triggers fire in the order of their names.
create trigger suppliers_end_verification
  before update of name on public.suppliers
  for each row when (old.name <> new.name)
  execute function private.end_verification();

create trigger customers_are_made_by_admins_and_clients
  before insert or update or delete on public.customers
  for each statement execute function private.only_for('admin', 'client');

-- policies -------------------------------------------------------------------------------------

alter table public.tenants enable row level security;
alter table public.suppliers enable row level security;
alter table public.customers enable row level security;
alter table public.members enable row level security;

create policy "Members see their tenant" on public.tenants
  for select to authenticated
  using (id = (select private.tenant_id()));

create policy "Members see their tenant's suppliers" on public.suppliers
  for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create policy "Admins and clients see all customers, customers themselves" on public.customers
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then id = (select private.customer_id())
      else (select private.reads_all())
    end
  );

create policy "Admins and clients see all members, others themselves" on public.members
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and ((select private.reads_all()) or user_id = (select auth.uid()))
  );

create policy "Admins change members" on public.members
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin')
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins remove members" on public.members
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins change their tenant" on public.tenants
  for update to authenticated
  using (id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin')
  with check (id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins open suppliers" on public.suppliers
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

-- A supplier that changes another supplier gets FORBIDDEN and not NOT_FOUND, because it can see it.
create policy "Admins change any supplier, suppliers their own" on public.suppliers
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id()) and (select private.tenant_role()) in ('admin', 'supplier')
  )
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'admin' then true
      when 'supplier' then id = (select private.supplier_id())
      else false
    end
  );

create policy "Admins and clients make customers" on public.customers
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id()) and (select private.reads_all())
  );

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.known_only to authenticated, service_role;
grant select on public.tenants, public.suppliers, public.customers, public.members to authenticated;
grant update (name, time_zone, settings) on public.tenants to authenticated;
grant update (role, status, supplier_id, content_roles), delete on public.members to authenticated;
grant insert (name, verified, legal), update (name, verified, legal) on public.suppliers to authenticated;
grant insert (name, email) on public.customers to authenticated;
grant all on public.tenants, public.suppliers, public.customers, public.members to service_role;

grant execute on function
  private.is_email, private.is_uuid, private.is_language, private.nfc(text), private.nfc(jsonb), private.trimmed, private.folded_name,
  private.is_more_than_spaces, private.has_short_numbers,
  private.sort_name
to authenticated, service_role;
grant execute on function
  public.sort_name(public.suppliers), public.sort_name(public.customers), public.sort_name(public.members)
to authenticated, service_role;
grant execute on function public.update_tenant, public.create_supplier, public.create_customer to authenticated;
grant execute on function
  private.refusal, private.refuse, private.told_value, private.check_time_zone, private.lock_key, private.hold, private.try_hold,
  private.tenant_id(), private.tenant_role(), private.members_only(), private.reads_all(),
  private.reads_all(public.member_role),
  private.supplier_id(), private.customer_id(), private.is_guest()
to authenticated, service_role;
