-- Made from supabase/schemas and supabase/reference by `npm run db -- migration`. Do not edit.

-- supabase/schemas/foundation/0050_foundation.sql

-- The foundation, which every later file uses. Schemas and defaults, rules for texts and JSON, refusals, locks by
-- name, moves between statuses, and the time of a change.

create schema private;
comment on schema private is 'Helpers, triggers and secrets. Never exposed by the API.';
grant usage on schema private to authenticated, service_role, supabase_auth_admin;

create extension if not exists unaccent with schema extensions;

-- pg_net wakes edge functions after a commit, pg_cron runs jobs on a schedule.
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

-- Nothing is granted by default; each file grants what its tables and functions need.
alter default privileges in schema public revoke all on tables from anon, authenticated;
alter default privileges in schema public revoke all on sequences from anon, authenticated;
alter default privileges in schema public revoke all on functions from anon, authenticated;
alter default privileges revoke execute on functions from public;
alter default privileges in schema public grant all on tables to service_role;
alter default privileges in schema public grant execute on functions to service_role;

-- A statement may take 8 seconds, as hosted, and wait 2 seconds for a lock. Functions that need longer set it. A request
-- that waits holds a connection, which all tenants share.
alter role authenticated set statement_timeout = '8s';
alter role authenticated set lock_timeout = '2s';

-- A request reads the rows of one tenant, but a cached plan expects a share of all rows. From a million products on it
-- would start workers (5 ms, where the rows take 0.1 ms), and from ten million on compile the statement at each call.
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

-- Kinds of advisory locks, for subjects without a row. The position of a kind is the first integer of its locks.
create type private.lock_kind as enum (
  'idempotency_key', 'category_tree', 'import', 'webhook', 'search_texts', 'category_campaigns', 'campaign_run', 'cap',
  'media_folders', 'sales_rollup', 'exports', 'templates', 'visitor_rollup', 'reservations',
  'kept_counts', 'clock', 'wake'
);

-- Settings of a transaction, by which its functions and triggers tell each other what they know:
--   souk.stock_change     why the stock changes: {reason, note, order_id}
--   souk.product_room     how many products a supplier may still add
--   souk.last_slug        the number of the last slug of one name
--   souk.rights           'customer' while a page of somebody else is read
--   souk.events_written   how many events were written, and how many of them counted
--   souk.emitted          the events that occur once in a transaction and have occurred
--   souk.woken_at         one for each worker: the transaction that has woken it

-- The collation "C" compares bytes, on every server in the same way.
create domain private.sort_text as text collate "C";
comment on domain private.sort_text is 'A folded text by which rows are sorted.';

-- tables ---------------------------------------------------------------------------------------

create table private.status_moves (
  subject text not null,
  from_status text not null,
  to_status text not null,
  constraint status_moves_pkey primary key (subject, from_status, to_status)
);
comment on table private.status_moves is
  'The allowed moves between statuses. The subject is a table, or a table and its column.';

-- functions: texts and JSON --------------------------------------------------------------------

-- The rule of HTML's <input type="email">, as in Supabase Auth.
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
return case
  -- Most texts are ASCII.
  when octet_length(words) = char_length(words) or words ~ '^https?://\S+$' then words
  else normalize(words, nfc)
end;
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

-- Each table of the API with texts has this trigger, except for copies of other tables and for codes, which are sold unchanged.
-- Triggers fire in the order of their names, and this one has to be the first.
create function private.keep_nfc() returns trigger
language plpgsql set search_path = ''
as $$
declare
  row_text text := new::text;
begin
  if octet_length(row_text) = char_length(row_text) or row_text is nfc normalized then
    return new;
  end if;
  return jsonb_populate_record(
    new,
    (
      select jsonb_object_agg(e.key, private.nfc(e.value))
      from jsonb_each(to_jsonb(new)) as e
      where private.nfc(e.value) <> e.value
    )
  );
end
$$;
comment on function private.keep_nfc() is 'Row trigger: texts are stored in Unicode NFC.';

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

create function private.searched(search text) returns text
language sql immutable
return case when private.is_more_than_spaces(search) then normalize(search, nfc) end;
comment on function private.searched is
  'A search text in Unicode NFC; null (no search) if it has no visible character.';

create function private.plain_letters(input text) returns text
language plpgsql stable set search_path = ''
as $$
begin
  -- Trademark signs are not part of a word, and a fraction is not part of the number before it.
  input := regexp_replace(input, '[\u00a9\u00ae\u2117\u2120\u2122\u24b8\u24c7]+', ' ', 'g');
  input := regexp_replace(input, '([\u00bc-\u00be\u2150-\u215f\u2189])', ' \1 ', 'g');
  input := normalize(input, nfkc);
  -- Invisible characters (soft hyphens, joiners, direction marks, variation selectors), and the points of Hebrew and Arabic.
  input := regexp_replace(
    input,
    '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000E0000-\U000E0FFF'
      || '\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]+',
    '', 'g'
  );
  -- Arabic letters that are written for each other, and Arabic digits.
  input := translate(
    input,
    U&'\0623\0625\0622\0671\0624\0626\0629\0649\06CC\06D0\06A9\0643\06C1\06D5\06BE\06C0\0660\0661\0662\0663\0664\0665\0666\0667\0668\0669\06F0\06F1\06F2\06F3\06F4\06F5\06F6\06F7\06F8\06F9',
    U&'\0627\0627\0627\0627\0648\064A\0647\064A\064A\064A\0643\0643\0647\0647\0647\0647\0030\0031\0032\0033\0034\0035\0036\0037\0038\0039\0030\0031\0032\0033\0034\0035\0036\0037\0038\0039'
  );
  input := translate(input, U&'\2010\2011\2012\2013\2014\2015\2212\FE58\FE63\FF0D', '----------');
  input := translate(input, U&'\2018\2019\201B\02BB\02BC\02B9\2032\FF07\0060\00B4', '''''''''''''''''''''');
  input := regexp_replace(input, '[ \u2000-\u206f\u2190-\u2bff\u3000-\u3004\u3008-\u3020\u30fb]+', ' ', 'g');
  input := extensions.unaccent(input);
  -- Further letters of Latin and Cyrillic script, as in Azeri, Kazakh and Ukrainian. They are rare.
  if input ~ '[\u0181-\u024f\u0460-\u052f]' then
    input := translate(
      input,
      U&'\0184\0186\018E\018F\0194\019C\019F\01A6\01A7\01A9\01B1\01B7\01B8\01BC\01E2\01EE\01F6\01F7\01FC\01FE\021C\0220\0222\0241\0245\024A\0460\0462\0464\0466\0468\046A\046C\046E\0470\0472\0474\0476\0478\047A\047C\047E\0480\048A\048C\048E\0490\0492\0494\0496\0498\049A\049C\049E\04A0\04A2\04A4\04A6\04A8\04AA\04AC\04AE\04B0\04B2\04B4\04B6\04B8\04BA\04BC\04BE\04C0\04C1\04C3\04C5\04C7\04C9\04CB\04CD\04D0\04D2\04D4\04D6\04D8\04DA\04DC\04DE\04E0\04E2\04E4\04E6\04E8\04EA\04EC\04EE\04F0\04F2\04F4\04F6\04F8\04FA\04FC\04FE\0500\0502\0504\0506\0508\050A\050C\050E\0510\0512\0514\0516\0518\051A\051C\051E\0520\0522\0524\0526\0528\052A\052C\052E',
      U&'\0185\0254\01DD\0259\0263\026F\0275\0280\01A8\0283\028A\0292\01B9\01BD\01E3\01EF\0195\01BF\01FD\01FF\021D\019E\0223\0242\028C\024B\0461\0463\0465\0467\0469\046B\046D\046F\0471\0473\0475\0477\0479\047B\047D\047F\0481\048B\048D\048F\0491\0493\0495\0497\0499\049B\049D\049F\04A1\04A3\04A5\04A7\04A9\04AB\04AD\04AF\04B1\04B3\04B5\04B7\04B9\04BB\04BD\04BF\04CF\04C2\04C4\04C6\04C8\04CA\04CC\04CE\04D1\04D3\04D5\04D7\04D9\04DB\04DD\04DF\04E1\04E3\04E5\04E7\04E9\04EB\04ED\04EF\04F1\04F3\04F5\04F7\04F9\04FB\04FD\04FF\0501\0503\0505\0507\0509\050B\050D\050F\0511\0513\0515\0517\0519\051B\051D\051F\0521\0523\0525\0527\0529\052B\052D\052F'
    );
  end if;
  -- Greek, Cyrillic and Armenian: with collation "C", lower() converts only ASCII.
  return translate(
    input,
    U&'\0391\0392\0393\0394\0395\0396\0397\0398\0399\039A\039B\039C\039D\039E\039F\03A0\03A1\03A3\03A4\03A5\03A6\03A7\03A8\03A9\0400\0401\0402\0403\0404\0405\0406\0407\0408\0409\040A\040B\040C\040D\040E\040F\0410\0411\0412\0413\0414\0415\0416\0417\0418\0419\041A\041B\041C\041D\041E\041F\0420\0421\0422\0423\0424\0425\0426\0427\0428\0429\042A\042B\042C\042D\042E\042F\0531\0532\0533\0534\0535\0536\0537\0538\0539\053A\053B\053C\053D\053E\053F\0540\0541\0542\0543\0544\0545\0546\0547\0548\0549\054A\054B\054C\054D\054E\054F\0550\0551\0552\0553\0554\0555\0556',
    U&'\03B1\03B2\03B3\03B4\03B5\03B6\03B7\03B8\03B9\03BA\03BB\03BC\03BD\03BE\03BF\03C0\03C1\03C3\03C4\03C5\03C6\03C7\03C8\03C9\0450\0451\0452\0453\0454\0455\0456\0457\0458\0459\045A\045B\045C\045D\045E\045F\0430\0431\0432\0433\0434\0435\0436\0437\0438\0439\043A\043B\043C\043D\043E\043F\0440\0441\0442\0443\0444\0445\0446\0447\0448\0449\044A\044B\044C\044D\044E\044F\0561\0562\0563\0564\0565\0566\0567\0568\0569\056A\056B\056C\056D\056E\056F\0570\0571\0572\0573\0574\0575\0576\0577\0578\0579\057A\057B\057C\057D\057E\057F\0580\0581\0582\0583\0584\0585\0586'
  );
end
$$;
comment on function private.plain_letters is
  'Converts a text that is not ASCII into the letters that search compares: without accents and invisible characters, and with one letter for interchangeable ones.';

create function private.plain(input text) returns text
language plpgsql stable set search_path = ''
as $$
begin
  if octet_length(input) > char_length(input) then
    input := private.plain_letters(input);
  end if;
  -- With collation "C", because others may map I to another letter.
  return lower(input collate "C");
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
  'The sort key of names, without case and accents. With collate "C" it gives the same order on every server.';

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

-- functions: requests --------------------------------------------------------------------------

create function private.request_header(name text) returns text
language plpgsql stable set search_path = ''
as $$
begin
  return nullif(current_setting('request.headers', true), '')::json ->> name;
end
$$;
comment on function private.request_header is
  'A header of the request to the REST interface, by its name in lower case; null without it.';

create function private.is_visit() returns boolean
language sql stable
return coalesce(current_setting('role', true) = 'anon', false);
comment on function private.is_visit() is
  'Whether the request has the project''s public key and no user''s token. It holds in functions of any owner, too.';

-- functions: refusals and locks ----------------------------------------------------------------

create function private.shown_value(value jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  -- A small text can stand for a number of 16,000 digits, and refusals are stored to answer repeated requests.
  return case when octet_length(value::text) <= 8192 and private.has_short_numbers(value) then value end;
end
$$;
comment on function private.shown_value is 'The value to show in a refusal: the sent value, or null if it is large.';

create function private.refusal(
  code text, message text, field text default null, value jsonb default null, beside jsonb default '{}'
) returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  status text := case code
    when 'INVALID_REQUEST' then '400'
    when 'UNAUTHORIZED' then '401'
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
        when field is null then '{}' else jsonb_build_object('field', field, 'value', private.shown_value(value))
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
  refusal constant jsonb := private.refusal(code, message, field, value, beside);
begin
  raise exception using
    errcode = refusal ->> 'code', message = refusal ->> 'message', hint = refusal ->> 'hint',
    detail = refusal ->> 'details';
end
$$;
comment on function private.refuse is
  'Ends the transaction with an error: a code of docs/errors.md, a message, the invalid field and its value, and further details.';

create function private.fault(message text, field text, value jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('field', field, 'value', private.shown_value(value), 'message', message)
$$;
comment on function private.fault is 'An invalid field, for refuse_all.';

create function private.faults_in(code text, message text, detail text) returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  details constant jsonb := coalesce(nullif(detail, ''), '{}')::jsonb;
begin
  if code <> 'VALIDATION_ERROR' or not details ? 'field' then
    raise exception using errcode = 'PT422', message = code, hint = message, detail = detail;
  end if;
  return coalesce(
    details -> 'errors', jsonb_build_array(private.fault(message, details ->> 'field', details -> 'value'))
  );
end
$$;
comment on function private.faults_in is
  'The invalid fields of a refusal that was caught, for refuse_all. Any other refusal is raised again.';

create function private.refuse_all(faults jsonb) returns void
language plpgsql set search_path = ''
as $$
declare
  -- Refusals are stored to answer repeated requests.
  bytes_at_most constant integer := 32768;
  fields jsonb;
begin
  if faults = '[]' then
    return;
  end if;
  -- A field can break two rules. The first one is enough.
  fields := (
    select jsonb_agg(
      case when octet_length(faults::text) > bytes_at_most then f.value || '{"value": null}' else f.value end order by f.position
    )
    from jsonb_array_elements(faults) with ordinality as f (value, position)
    where not exists (
      select from jsonb_array_elements(faults) with ordinality as e (value, position)
      where e.value -> 'field' = f.value -> 'field' and e.position < f.position
    )
  );
  perform private.refuse(
    'VALIDATION_ERROR', fields #>> '{0,message}', fields #>> '{0,field}', faults #> '{0,value}',
    case when jsonb_array_length(fields) > 1
      then jsonb_build_object('errors', jsonb_path_query_array(fields, '$[0 to 99]'))
      else '{}'
    end
  );
end
$$;
comment on function private.refuse_all is
  'Refuses invalid fields with VALIDATION_ERROR: the details name the first, and in `errors` up to 100 of them if there are several, without values if these are long. Does nothing if there are none.';

create function private.fault_unless(holds boolean, field text, rule text, value jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return case when holds then '[]'
    else jsonb_build_array(private.fault(format('%s must be %s.', field, rule), field, coalesce(value, 'null')))
  end;
end
$$;
comment on function private.fault_unless is
  'For refuse_all: no fault if the condition holds, otherwise that of the value of a field.';

create function private.insist(holds boolean, field text, rule text, value jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  if holds is not true then
    perform private.refuse_all(private.fault_unless(holds, field, rule, value));
  end if;
end
$$;
comment on function private.insist is 'Refuses the value of a field with VALIDATION_ERROR, unless the condition holds.';

create function private.refuse_for_now(message text, field text default null, value jsonb default null) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse('CONFLICT', message, field, value, '{"retry": true}');
end
$$;
comment on function private.refuse_for_now is
  'Ends the transaction with a CONFLICT that lasts only as long as another request. Its details have retry, so it is not stored for an Idempotency-Key.';

create function private.known_only(input jsonb, known text[], inside text default '') returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  unknown text;
begin
  if jsonb_typeof(input) <> 'object' then
    perform private.refuse('VALIDATION_ERROR', 'This must be an object.', nullif(rtrim(inside, '.'), ''));
  end if;
  unknown := (select k.key from jsonb_object_keys(input) as k (key) where k.key <> all (known) order by 1 limit 1);
  if unknown is not null then
    perform private.refuse('VALIDATION_ERROR', unknown || ' is not known here.', inside || unknown);
  end if;
  return input;
end
$$;
comment on function private.known_only is
  'Returns the input unchanged. Refuses with VALIDATION_ERROR an input with unknown fields.';

create function private.kind_key(kind private.lock_kind) returns integer
language sql immutable
return array_position(enum_range(null::private.lock_kind), kind);
comment on function private.kind_key is 'The first integer of an advisory lock of this kind.';

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
  kind_key integer := private.kind_key(kind);
begin
  if shared then
    perform pg_advisory_xact_lock_shared(kind_key, private.lock_key(subject));
  else
    perform pg_advisory_xact_lock(kind_key, private.lock_key(subject));
  end if;
exception
  when lock_not_available then
    perform private.refuse_for_now('Another request is changing the same record. Try again in a moment.');
end
$$;
comment on function private.hold is
  'Takes the lock of a subject until the end of the transaction, exclusive or shared. Waits up to two seconds, then refuses with CONFLICT. Subjects include their tenant, user or record.';

create function private.try_hold(kind private.lock_kind, subject text, shared boolean default false) returns boolean
language plpgsql set search_path = ''
as $$
declare
  kind_key integer := private.kind_key(kind);
begin
  return case
    when shared then pg_try_advisory_xact_lock_shared(kind_key, private.lock_key(subject))
    else pg_try_advisory_xact_lock(kind_key, private.lock_key(subject))
  end;
end
$$;
comment on function private.try_hold is
  'Tries to take the lock of a subject until the end of the transaction, exclusive or shared. Returns whether it succeeded. It never waits.';

create function private.try_keep(kind private.lock_kind, subject text) returns boolean
language sql set search_path = ''
as $$
  select pg_try_advisory_lock(private.kind_key(kind), private.lock_key(subject))
$$;
comment on function private.try_keep is
  'Tries to take the lock of a subject for the session, beyond its transactions, until let_go. Returns whether it succeeded. It never waits.';

create function private.let_go(kind private.lock_kind, subject text) returns boolean
language sql set search_path = ''
as $$
  select pg_advisory_unlock(private.kind_key(kind), private.lock_key(subject))
$$;
comment on function private.let_go is 'Releases a lock that try_keep has taken. Returns whether the session had it.';

-- functions: changes ---------------------------------------------------------------------------

create function private.require_move(subject text, column_name text, old_status text, new_status text) returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if old_status is distinct from new_status and not exists (
    select 1 from private.status_moves m
    where m.subject = require_move.subject
      and m.from_status = old_status
      and m.to_status = new_status
  ) then
    perform private.refuse(
      'INVALID_TRANSITION', format('%s cannot change from %s to %s.', column_name, old_status, new_status),
      column_name, to_jsonb(new_status)
    );
  end if;
end
$$;
comment on function private.require_move is 'Refuses with INVALID_TRANSITION a move that is not a row of status_moves.';

create function private.check_status_move() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  column_name text := coalesce(tg_argv[0], 'status');
begin
  perform private.require_move(
    tg_table_name || coalesce('.' || tg_argv[0], ''), column_name,
    to_jsonb(old) ->> column_name, to_jsonb(new) ->> column_name
  );
  return new;
end
$$;
comment on function private.check_status_move() is
  'Row trigger: refuses with INVALID_TRANSITION a move that is not a row of status_moves. Argument: the column, if it is not status.';

create function private.touch() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function private.touch() is 'Row trigger: sets updated_at to the time of the change.';

-- It has no SET clause, so that Postgres inlines it. In the condition of an update it also sees a change that committed
-- while the update waited for the row.
create function private.is_unchanged(updated_at timestamptz, changes jsonb) returns boolean
language sql stable
return coalesce((changes ->> 'updated_at')::timestamptz = updated_at, true);
comment on function private.is_unchanged is
  'Whether a record still has the updated_at with which the changes say that it was read; true if they say none.';

create function private.refuse_outdated(subject text, changes jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse(
    'CONFLICT', format('The %s has changed since then. Read it again, then send your changes.', subject), 'updated_at',
    changes -> 'updated_at'
  );
end
$$;
comment on function private.refuse_outdated is 'Refuses with CONFLICT changes of a record that has changed since it was read.';

create function private.merged_fields(before jsonb, sent jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  -- Anything else is refused by the check of the settings.
  if jsonb_typeof(sent) <> 'object' then
    return sent;
  end if;
  return (
    select coalesce(jsonb_object_agg(f.key, f.value) filter (where f.value <> 'null'), '{}')
    from jsonb_each(coalesce(before, '{}') || sent) as f
  );
end
$$;
comment on function private.merged_fields is
  'An object with changed fields: fields that are not sent stay, and null removes one.';

create function private.merged_settings(before jsonb, sent jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  if jsonb_typeof(sent) <> 'object' then
    return sent;
  end if;
  return private.merged_fields(
    before,
    (
      select coalesce(jsonb_object_agg(g.key, private.merged_fields(before -> g.key, g.value)), '{}')
      from jsonb_each(sent) as g
    )
  );
end
$$;
comment on function private.merged_settings is
  'Settings with changed groups. Groups and fields that are not sent stay, and null removes one. The value of a field is replaced whole.';

-- policies -------------------------------------------------------------------------------------

alter table private.status_moves enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.is_email, private.is_uuid, private.is_language, private.nfc(text), private.nfc(jsonb), private.trimmed, private.folded_name,
  private.is_more_than_spaces, private.searched, private.has_short_numbers, private.sort_name, private.known_only,
  private.request_header, private.is_visit(),
  private.refusal, private.refuse, private.require_move, private.fault, private.faults_in, private.refuse_all, private.refuse_for_now,
  private.shown_value, private.kind_key, private.lock_key, private.hold, private.try_hold, private.is_unchanged, private.refuse_outdated,
  private.merged_fields, private.merged_settings
to authenticated, service_role;

-- supabase/schemas/foundation/0055_wakes.sql

-- Waking workers. pg_net calls an edge function after the commit of a transaction that has work for it. Transactions
-- within 250 ms share a call, because each call costs the function a request:
--
-- - A call is recorded, as a wake. For 250 ms, other transactions rely on it instead of calling again.
-- - A transaction that relies on a wake holds its lock, shared, until it ends. The worker that was called looks for work
--   again when the 250 ms are over, and repeats that until nobody holds the lock. So it also sees what was committed last.
-- - A wake that is rolled back was never recorded. If the worker crashes, a job of the next minute wakes it again.

-- tables ---------------------------------------------------------------------------------------

create table private.wakes (
  worker text not null,
  wake_id uuid not null,
  woken_at timestamptz not null,
  constraint wakes_pkey primary key (worker)
);
comment on table private.wakes is 'The last wake of each worker that other transactions may rely on.';

-- functions ------------------------------------------------------------------------------------

create function private.is_fresh(woken_at timestamptz) returns boolean
language sql volatile set search_path = ''
as $$
  -- The worker waits as long: JOINED_MS in the functions.
  select woken_at > clock_timestamp() - interval '250 milliseconds'
$$;
comment on function private.is_fresh is 'Whether transactions may still rely on a wake of that time.';

create function private.rely_on_wake(worker text) returns boolean
language plpgsql security definer set search_path = ''
as $$
declare
  wake private.wakes;
begin
  select w.* into wake from private.wakes w where w.worker = rely_on_wake.worker;
  if private.is_fresh(wake.woken_at) is not true or not private.try_hold('wake', wake.wake_id::text, shared => true) then
    return false;
  end if;
  -- The time is read after the lock is held. The worker reads them in the same order, so one of the two sees the other.
  return private.is_fresh(wake.woken_at);
end
$$;
comment on function private.rely_on_wake is
  'Whether the worker was called less than 250 ms ago, and will look for the work of this transaction after its end.';

create function private.record_wake(worker text) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  recorded uuid;
begin
  -- Another transaction that calls the worker at this moment records its wake. This one does not wait for its end.
  if private.try_hold('wake', worker) then
    insert into private.wakes as w (worker, wake_id, woken_at)
    values (record_wake.worker, gen_random_uuid(), clock_timestamp())
    on conflict on constraint wakes_pkey do update set wake_id = excluded.wake_id, woken_at = excluded.woken_at
      where not private.is_fresh(w.woken_at)
    returning wake_id into recorded;
  end if;
  return recorded;
end
$$;
comment on function private.record_wake is
  'Records that this transaction calls the worker, and returns the id of the wake. Null if another transaction has just recorded one.';

create function private.wake(worker text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  mark text := 'souk.woken_at_' || translate(worker, '-', '_');
  -- Other isolation levels show the wakes of the transaction's beginning.
  may_join boolean := current_setting('transaction_isolation') = 'read committed';
  address text;
  key text;
begin
  -- Once in a transaction is enough, however much work it adds.
  if current_setting(mark, true) = pg_current_xact_id()::text then
    return;
  end if;
  perform set_config(mark, pg_current_xact_id()::text, true);

  select s.decrypted_secret into address from vault.decrypted_secrets s where s.name = 'functions_url';
  select s.decrypted_secret into key from vault.decrypted_secrets s where s.name = 'secret_key';
  if address is null or key is null then
    -- The change must not fail because of this, so the work waits for the next wake.
    raise warning 'the worker % was not called: put functions_url and secret_key into the Vault', worker;
    return;
  end if;
  if may_join and private.rely_on_wake(worker) then
    return;
  end if;
  perform net.http_post(
    url := address || '/' || worker,
    headers := jsonb_build_object('Content-Type', 'application/json', 'apikey', key),
    body := jsonb_build_object('wake_id', case when may_join then private.record_wake(worker) end)
  );
end
$$;
comment on function private.wake is
  'Lets pg_net call the function of that name after the commit of this transaction, or relies on a call of the last 250 ms. The function asks wake_is_over with the wake_id that it gets, and looks for work again.';

create function public.wake_is_over(wake_id uuid) returns boolean
language plpgsql set search_path = ''
as $$
begin
  if exists (
    select from private.wakes w where w.wake_id = wake_is_over.wake_id and private.is_fresh(w.woken_at)
  ) then
    return false;
  end if;
  return private.try_hold('wake', wake_is_over.wake_id::text);
end
$$;
comment on function public.wake_is_over is
  'For the workers: whether no transaction relies on a wake any more. All that have done so are committed, and the worker sees their work.';

-- policies -------------------------------------------------------------------------------------

alter table private.wakes enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant select on private.wakes to service_role;
grant execute on function private.is_fresh, public.wake_is_over to service_role;

-- supabase/schemas/foundation/0057_epochs.sql

-- Epochs. Postgres counts transactions for each server, and a database that is restored elsewhere, or to an earlier time,
-- goes on with other numbers. So what is ordered by transactions is ordered by the epoch first. A new epoch begins with
-- each start of the server, because none can be restored without one, and no transaction survives one. Nobody has to
-- begin it: its time is that of the start, which all transactions read alike, before one of them records it.
--
-- An epoch is a time, and not a number, so that it is later than all that readers have seen in a database of which this
-- one is an older copy.

-- tables ---------------------------------------------------------------------------------------

create table private.epoch (
  epoch timestamptz not null,
  server_started_at timestamptz not null
);
comment on table private.epoch is
  'The last recorded epoch, and the start of the server on which it was recorded. One row. With another start, the epoch of that start has begun: see private.present_epoch.';

-- indexes --------------------------------------------------------------------------------------

create unique index epoch_is_one_row on private.epoch ((true));

-- functions ------------------------------------------------------------------------------------

create function private.epoch_after(recorded private.epoch) returns timestamptz
language plpgsql stable set search_path = ''
as $$
begin
  -- A replica has a start of its own, and shows what its primary recorded.
  if recorded.server_started_at = pg_postmaster_start_time() or pg_is_in_recovery() then
    return recorded.epoch;
  end if;
  return greatest(recorded.epoch + interval '1 microsecond', pg_postmaster_start_time());
end
$$;
comment on function private.epoch_after is 'The present epoch, if this was the last that was recorded.';

create function private.present_epoch() returns timestamptz
language plpgsql stable security definer set search_path = ''
as $$
declare
  recorded private.epoch;
begin
  select e.* into recorded from private.epoch e;
  return private.epoch_after(recorded);
end
$$;
comment on function private.present_epoch() is
  'The epoch of this database: all transactions of earlier epochs have ended. It is the same before and after it is recorded.';

create function private.record_epoch() returns timestamptz
language plpgsql security definer set search_path = ''
as $$
declare
  recorded private.epoch;
begin
  select e.* into recorded from private.epoch e;
  if recorded.server_started_at = pg_postmaster_start_time() then
    return recorded.epoch;
  end if;
  -- A transaction that waited for another one here could wait for a long time, or forever.
  update private.epoch e
  set epoch = private.epoch_after(recorded), server_started_at = pg_postmaster_start_time()
  where e.ctid = (select n.ctid from private.epoch n where n.epoch = recorded.epoch for update skip locked);
  return private.epoch_after(recorded);
end
$$;
comment on function private.record_epoch() is
  'The present epoch, for a row that stores it. Records it, unless that is done or another transaction is doing it.';

-- policies -------------------------------------------------------------------------------------

alter table private.epoch enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.present_epoch to authenticated;

-- supabase/schemas/foundation/0058_numbers.sql

-- Numbers from sequences. Each database has its own, so rows of two databases may have the same number: the key of such a
-- table begins with the tenant, who is in one database at a time, and whose numbers only increase.

-- functions ------------------------------------------------------------------------------------

create function private.continue_numbers(tenant_id uuid) returns void
-- Writers of a table wait while its sequence is set.
language plpgsql security definer set search_path = '' set lock_timeout = '2s'
as $$
declare
  numbered record;
  highest bigint;
  last bigint;
begin
  for numbered in
    select format('%I.%I', n.nspname, c.relname) as name, a.attname as column
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_class c on c.oid = a.attrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id'
    where a.attidentity <> '' and n.nspname in ('public', 'private')
    order by name
  loop
    execute format('select max(%I) from %s where tenant_id = $1', numbered.column, numbered.name)
    into highest using continue_numbers.tenant_id;
    execute format('select last_value from %s', pg_get_serial_sequence(numbered.name, numbered.column)) into last;
    if highest > last then
      -- No number is taken until the transaction ends.
      execute format('lock table %s in share row exclusive mode', numbered.name);
      perform setval(pg_get_serial_sequence(numbered.name, numbered.column), highest);
    end if;
  end loop;
end
$$;
comment on function private.continue_numbers is
  'For rows of a tenant that another database has written and that were added to this one: numbers of new rows come after theirs. Before the tenant''s own requests are answered.';

-- supabase/schemas/jobs/0060_jobs.sql

-- The jobs of the database: what runs how often, when each is due, and how its last run went. A clock is a cron job that
-- runs what is due, one job after the other. There are few clocks, because each cron job needs a connection of its own.

-- tables ---------------------------------------------------------------------------------------

create table private.jobs_due (
  name text not null,
  queue text not null,
  command text not null,
  in_batches boolean not null,
  every interval not null,
  at interval not null,
  timeout interval not null,
  active boolean not null default true,
  due_at timestamptz not null,
  running_since timestamptz,
  last_batch text,
  last_run_at timestamptz,
  last_duration interval,
  failures integer not null default 0,
  last_failed_at timestamptz,
  last_error text,
  constraint jobs_due_pkey primary key (name),
  constraint jobs_due_every_check check (every >= interval '1 minute'),
  constraint jobs_due_at_check check (at >= interval '0' and at < every),
  constraint jobs_due_timeout_check check (timeout > interval '0')
);
comment on table private.jobs_due is 'The jobs that the clocks run, when each is due, and its last run.';
comment on column private.jobs_due.queue is 'The clock that runs it: main, workers or long.';
comment on column private.jobs_due.in_batches is
  'Whether the command does a part of the work. Its $1 is the text that it last returned; null starts, and ends, the work.';
comment on column private.jobs_due.at is 'The time after midnight in UTC, or within each interval, at which it is due.';
comment on column private.jobs_due.timeout is 'After this time, the next clock of another queue cancels a run.';
comment on column private.jobs_due.active is 'False switches the job off.';
comment on column private.jobs_due.last_batch is 'What the command returned, if more work is left.';
comment on column private.jobs_due.failures is 'The number of failed runs since the last one that succeeded.';
comment on column private.jobs_due.last_error is 'The error of the run at last_failed_at. It stays after a success.';

-- functions: schedules -------------------------------------------------------------------------

create function private.next_due(every interval, at interval) returns timestamptz
language sql volatile set search_path = ''
as $$
  select date_bin(next_due.every, clock_timestamp() - next_due.at, timestamptz '2000-01-01 00:00:00+00')
    + next_due.at + next_due.every
$$;
comment on function private.next_due is 'The next time of a schedule. Times that have passed are not repeated.';

create function private.schedule_job(
  name text, command text, every interval, at interval default '0', queue text default 'main',
  in_batches boolean default false, timeout interval default null
) returns void
language plpgsql set search_path = ''
as $$
begin
  insert into private.jobs_due as j (name, queue, command, in_batches, every, at, timeout, due_at)
  values (
    schedule_job.name, schedule_job.queue, schedule_job.command, schedule_job.in_batches, schedule_job.every,
    schedule_job.at,
    coalesce(schedule_job.timeout, case schedule_job.queue when 'long' then interval '10 minutes' else interval '1 minute' end),
    private.next_due(schedule_job.every, schedule_job.at)
  )
  on conflict on constraint jobs_due_pkey do update set
    queue = excluded.queue, command = excluded.command, in_batches = excluded.in_batches, every = excluded.every,
    at = excluded.at, timeout = excluded.timeout, due_at = excluded.due_at, last_batch = null, failures = 0;
end
$$;
comment on function private.schedule_job is
  'Adds a job, or changes the one with this name. The command is one statement without commits, with the schema of each name. Due every so often, at this time after midnight UTC: every => ''1 day'', at => ''03:27''; every => ''1 hour'', at => ''00:33''. Queues: main; workers, for what wakes an edge function; long, for what takes longer than a second.';

create function private.unschedule_job(name text) returns boolean
language plpgsql set search_path = ''
as $$
begin
  delete from private.jobs_due j where j.name = unschedule_job.name;
  return found;
end
$$;
comment on function private.unschedule_job is 'Removes a job. Returns whether there was one.';

-- functions: runs ------------------------------------------------------------------------------

-- A crashed session releases its locks, so a job is running only while its clock holds the lock of the queue.
create view private.running_jobs with (security_invoker = true) as
select j.name, j.queue, j.running_since, j.timeout, l.pid
from private.jobs_due j
join pg_catalog.pg_locks l
  on l.locktype = 'advisory' and l.granted and l.objsubid = 2
  and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
  and l.classid::bigint = private.kind_key('clock')
  and l.objid::bigint = private.lock_key(j.queue)::bigint & 4294967295
-- A clock runs one job at a time. Others are those of an interrupted run whose row begin_clock could not change.
where j.running_since = (select max(s.running_since) from private.jobs_due s where s.queue = j.queue);
comment on view private.running_jobs is 'The jobs that a clock is running, and the id of its server process.';

create function private.begin_clock(queue text) returns void
language plpgsql set search_path = ''
as $$
begin
  -- No clock can end its own run. A function's statement_timeout has no effect inside of a running statement.
  perform pg_cancel_backend(r.pid)
  from private.running_jobs r
  where r.queue <> begin_clock.queue and r.running_since < clock_timestamp() - r.timeout;

  -- The caller holds the lock of the queue, so these runs have ended with their session. The first interruption is
  -- repeated, behind everything that is due. A job that ends its session each time waits for its next time. A row that
  -- another transaction holds waits for the next clock.
  update private.jobs_due j set
    running_since = null, failures = j.failures + 1, last_failed_at = clock_timestamp(),
    last_error = format('The run of %s was interrupted: its session ended.', j.running_since),
    due_at = case when j.failures = 0 then clock_timestamp() else private.next_due(j.every, j.at) end
  where j.name in (
    select i.name
    from private.jobs_due i
    where i.queue = begin_clock.queue and i.running_since is not null
    for no key update skip locked
  );
end
$$;
comment on function private.begin_clock is
  'Cancels jobs of other queues that run for longer than their timeout, and finds those of this queue that were interrupted.';

create function private.start_job(queue text) returns private.jobs_due
language plpgsql set search_path = ''
as $$
declare
  job private.jobs_due;
begin
  update private.jobs_due j set running_since = clock_timestamp()
  where j.name = (
    select d.name
    from private.jobs_due d
    where d.queue = start_job.queue and d.active and d.due_at <= clock_timestamp() and d.running_since is null
    order by d.due_at, d.name
    limit 1
    for no key update skip locked
  )
  returning j.* into job;
  return job;
end
$$;
comment on function private.start_job is
  'Records the start of the job of a queue that has been due for the longest time, and returns it. Returns null if none is due, or others hold the rows of those that are.';

create function private.run_job(job private.jobs_due) returns void
-- Longer than a request may take (8 s), so that a job fails only for a lock that is not released.
language plpgsql set search_path = '' set lock_timeout = '10s'
as $$
declare
  batch text;
  error text;
begin
  begin
    if job.in_batches then
      execute job.command into batch using job.last_batch;
    else
      execute job.command;
    end if;
    -- Deferred triggers run here, so that their failure affects this job alone.
    set constraints all immediate;
  exception
    when query_canceled or assert_failure or others then
      error := format('%s (%s)', left(sqlerrm, 1000), sqlstate);
      raise warning 'the job % failed: %', job.name, error;
  end;
  -- A job may have taken another role.
  reset role;
  update private.jobs_due j set
    running_since = null, last_run_at = job.running_since, last_duration = clock_timestamp() - job.running_since,
    last_batch = case when error is null then batch end,
    -- Further batches run behind everything that is due.
    due_at = case when error is null and batch is not null then clock_timestamp() else private.next_due(j.every, j.at) end,
    failures = case when error is null then 0 else j.failures + 1 end,
    last_failed_at = case when error is null then j.last_failed_at else clock_timestamp() end,
    last_error = coalesce(error, j.last_error)
  where j.name = job.name;
end
$$;
comment on function private.run_job is
  'Runs a job that start_job has returned, or its next batch. An error undoes only what the job has done, and is recorded.';

create procedure private.run_due_jobs(queue text default 'main')
language plpgsql
as $$
declare
  -- Jobs that are left over are the first of the next run, which begins in the next minute.
  stops_at constant timestamptz := clock_timestamp() + interval '45 seconds';
  job private.jobs_due;
begin
  -- The lock belongs to the session, so it outlasts the commits and ends with a crash.
  if not private.try_keep('clock', run_due_jobs.queue) then
    return;
  end if;
  perform private.begin_clock(run_due_jobs.queue);
  loop
    job := private.start_job(run_due_jobs.queue);
    exit when job.name is null;
    commit;
    perform private.run_job(job);
    commit;
    exit when clock_timestamp() > stops_at;
  end loop;
  perform private.let_go('clock', run_due_jobs.queue);
end
$$;
comment on procedure private.run_due_jobs is
  'For a cron job: runs the jobs of a queue that are due, each in its own transaction, those that have waited longest first. Starts none after 45 seconds. Does nothing while another call for the queue is running.';

-- functions: watching --------------------------------------------------------------------------

create function private.job_health() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  -- A clock runs each minute, and the clock of another queue may have to cancel a job first.
  late_after constant interval := interval '3 minutes';
  jobs jsonb;
begin
  with watched as (
    select j.due_at, j.failures > 0 as is_failing, j.active and j.due_at < now() - late_after as is_late,
      jsonb_build_object(
        'name', j.name, 'queue', j.queue, 'every_seconds', extract(epoch from j.every)::integer, 'due_at', j.due_at,
        'running_since', (select r.running_since from private.running_jobs r where r.name = j.name),
        'last_run_at', j.last_run_at, 'last_duration_ms', round(1000 * extract(epoch from j.last_duration))::bigint,
        'failures', j.failures, 'last_failed_at', j.last_failed_at, 'last_error', j.last_error
      ) as job
    from private.jobs_due j
  )
  select jsonb_build_object(
    'total', count(*),
    'failing', coalesce(jsonb_agg(w.job order by w.due_at) filter (where w.is_failing), '[]'),
    'late', coalesce(jsonb_agg(w.job order by w.due_at) filter (where w.is_late), '[]')
  )
  into jobs
  from watched w;
  return jobs;
end
$$;
comment on function private.job_health is
  'The number of jobs, those whose last run failed, and those that have been due for more than 3 minutes.';

create function public.health() returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  jobs constant jsonb := private.job_health();
begin
  return jsonb_build_object(
    'status', case when jobs -> 'failing' = '[]' and jobs -> 'late' = '[]' then 'ok' else 'failing' end,
    'checked_at', now(), 'jobs', jobs
  );
end
$$;
comment on function public.health is
  'For operators of the project, with a secret key: whether jobs of the database fail or are late, and which.';

-- functions: retention -------------------------------------------------------------------------

create function private.delete_old_cron_runs(keep interval, batch integer) returns text
language plpgsql set search_path = ''
as $$
declare
  -- Runs have ascending ids. A run that could not be started has no times.
  last_old constant bigint := (select max(d.runid) from cron.job_run_details d where d.start_time < now() - keep);
begin
  delete from cron.job_run_details d
  where d.runid in (
    select o.runid from cron.job_run_details o where o.runid <= last_old order by o.runid limit batch
  );
  return case when exists (select from cron.job_run_details d where d.runid <= last_old) then 'more' end;
end
$$;
comment on function private.delete_old_cron_runs is
  'Deletes a batch of the rows of cron.job_run_details that began longer ago than this. pg_cron itself deletes none. Returns null if none is left.';

-- policies -------------------------------------------------------------------------------------

alter table private.jobs_due enable row level security;

-- grants ---------------------------------------------------------------------------------------

-- Commands run as the owner, so nobody else may write them.
grant execute on function private.job_health, public.health to service_role;

-- supabase/schemas/tenancy/0100_tenancy.sql

-- Tenants, their members and the members' roles. Every policy asks this file for the tenant, role, supplier or customer of
-- the caller. The caller may be a visitor, or a page that somebody else has written, which visitors know:
-- later: private.open_marketplace, private.marketplace_id, private.reads_as_customer

create type public.member_role as enum ('customer', 'supplier', 'client', 'admin');
create type public.member_status as enum ('active', 'suspended');

-- tables ---------------------------------------------------------------------------------------

create table public.tenants (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  time_zone text not null default 'UTC',
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
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
  updated_at timestamptz not null default now(),
  constraint suppliers_tenant_id_id_key unique (tenant_id, id),
  constraint suppliers_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint suppliers_name_is_more_than_spaces check (private.is_more_than_spaces(name))
);
comment on table public.suppliers is
  'An organisation that sells on a tenant''s marketplaces. It has members. legal: its legal identity (name, address, tax_id, all optional), which each order copies.';
alter table public.suppliers replica identity using index suppliers_tenant_id_id_key;

create table public.customers (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  user_id uuid references auth.users (id) on delete set null,
  name text not null default '',
  email text collate "C",
  contact_email text collate "C",
  is_guest boolean not null default false,
  is_listed boolean not null default true,
  language text,
  external_id text,
  created_at timestamptz not null default now(),
  constraint customers_tenant_id_id_key unique (tenant_id, id),
  constraint customers_tenant_id_user_id_key unique (tenant_id, user_id),
  constraint customers_name_is_at_most_200_characters check (char_length(name) <= 200),
  constraint customers_name_is_empty_or_more_than_spaces check (name = '' or private.is_more_than_spaces(name)),
  constraint customers_email_is_an_address_in_lower_case check (private.is_email(email)),
  constraint customers_contact_email_is_an_address_in_lower_case check (private.is_email(contact_email)),
  constraint customers_contact_email_is_for_guests check (is_guest or contact_email is null),
  constraint customers_is_listed_is_false_for_guests_only check (is_guest or is_listed),
  constraint customers_language_is_a_language check (private.is_language(language)),
  constraint customers_external_id_is_1_to_200_characters check (char_length(external_id) between 1 and 200)
);
comment on table public.customers is
  'A customer of the tenant, with or without an account. It remains when the account is deleted, because its orders remain. email: the address of the account, or the one that the staff or an import gave. is_guest: whether its account is a guest''s, which has no e-mail address. contact_email: the address that a guest gave in its last order, which nobody has confirmed. is_listed: false for a guest who has not ordered, whom nobody but itself sees. language: the language of mails to it; null if unknown. external_id: its id in the system that its past orders were imported from.';
alter table public.customers replica identity using index customers_tenant_id_id_key;

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
  'The key for sorting suppliers by name: .order(''sort_name'').';

create function public.sort_name(customer public.customers) returns private.sort_text
language sql immutable
return private.sort_name((customer).name);
comment on function public.sort_name(public.customers) is
  'The key for sorting customers by name: .order(''sort_name'').';

create function public.sort_name(member public.members) returns private.sort_text
language sql immutable
return private.sort_name((member).name);
comment on function public.sort_name(public.members) is 'The key for sorting members by name: .order(''sort_name'').';

-- Every policy uses these functions, so they are PL/pgSQL: it caches their plans for the session. A function in SQL is
-- planned at each call and takes eight times as long.

create function private.tenant_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.is_visit() then
    return (private.open_marketplace(private.request_header('x-souk-marketplace'))).tenant_id;
  end if;
  return (
    select m.tenant_id
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  );
end
$$;
comment on function private.tenant_id() is
  'The caller''s tenant: that of its active membership, or of the marketplace that a visitor visits. Otherwise null.';

create function private.tenant_role() returns public.member_role
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.is_visit() then
    return case when private.marketplace_id() is not null then 'customer'::public.member_role end;
  end if;
  return (
    select case when m.role <> 'customer' and private.reads_as_customer() then 'customer' else m.role end
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  );
end
$$;
comment on function private.tenant_role() is
  'The caller''s current role, which may differ from the token''s; null without an active membership. A visitor sees what a customer sees, but has no customer''s record. Customer if private.reads_as_customer().';

-- The only list of these roles. It has no SET clause, so that Postgres inlines it into queries.
create function private.reads_all(role public.member_role) returns boolean
language sql immutable
return coalesce(role in ('admin', 'client'), false);
comment on function private.reads_all(public.member_role) is
  'Whether a role reads all data of its tenant. Other roles read only what their own policies allow.';

create function private.refuse_stranger() returns void
language plpgsql stable set search_path = ''
as $$
begin
  if private.is_visit() then
    perform private.refuse(
      'UNAUTHORIZED', 'Send the token of a user, or name the marketplace that you visit: header x-souk-marketplace.'
    );
  end if;
  perform private.refuse('FORBIDDEN', 'You are not an active member of this tenant.');
end
$$;
comment on function private.refuse_stranger() is
  'Refuses a caller without a tenant: with FORBIDDEN, or with UNAUTHORIZED a visitor who names no marketplace.';

create function private.members_only() returns void
language plpgsql stable set search_path = ''
as $$
begin
  if current_user in ('anon', 'authenticated') and private.tenant_id() is null then
    perform private.refuse_stranger();
  end if;
end
$$;
comment on function private.members_only() is
  'Refuses callers without a tenant. Without it, policies would show an empty list.';

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
      and m.supplier_id is not null
      and not private.reads_as_customer()
  );
end
$$;
comment on function private.supplier_id() is
  'The caller''s organisation; null unless the caller is a supplier, and if private.reads_as_customer().';

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
  return private.is_visit() or exists (
    select 1
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.is_anonymous
  );
end
$$;
comment on function private.is_guest() is
  'Whether the caller has not registered: a visitor, or a member of the tenant without an address.';

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
  insert into public.customers (tenant_id, user_id, name, email, is_guest, is_listed, language)
  select
    new.tenant_id, new.user_id, new.name, case when private.is_email(new.email) then new.email end,
    u.is_anonymous, not u.is_anonymous, private.account_language(u.raw_user_meta_data)
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
  -- If the tenant is gone, its members are being deleted with it.
  if found and not exists (
    select 1
    from public.members m
    where m.tenant_id = old.tenant_id and m.role = 'admin' and m.status = 'active'
  ) then
    perform private.refuse(
      'LAST_ADMIN', 'A tenant must have an active admin. Appoint another one first.'
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
  set email = case when private.is_email(address) then address end,
      -- A guest without a name has the name of its last order.
      name = case when new.is_anonymous and display_name = '' then c.name else display_name end,
      contact_email = case when new.is_anonymous then c.contact_email end,
      is_guest = new.is_anonymous,
      is_listed = c.is_listed or not new.is_anonymous,
      language = private.account_language(new.raw_user_meta_data)
  where c.user_id = new.id;
  return null;
end
$$;
comment on function private.follow_account() is
  'Row trigger: copies changes of an account''s e-mail and name to its memberships and customers, whether it is a guest''s, and its language to customers.';

create function private.check_supplier() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if current_user = 'authenticated' and private.tenant_role() is distinct from 'admin' then
    if new.verified <> old.verified then
      perform private.refuse('FORBIDDEN', 'Only admins can verify suppliers.', 'verified', to_jsonb(new.verified));
    end if;
    -- The old name was verified.
    new.verified := new.verified and new.name = old.name;
  end if;
  return new;
end
$$;
comment on function private.check_supplier() is
  'Row trigger: only admins can change verified. A supplier that changes its own name is no longer verified.';

create function private.check_time_zone(time_zone text) returns void
language plpgsql stable set search_path = ''
as $$
declare
  -- What the zone database links these names to.
  cities constant jsonb := jsonb_build_object(
    'CET', 'Europe/Brussels', 'MET', 'Europe/Brussels', 'EET', 'Europe/Athens', 'WET', 'Europe/Lisbon',
    'GMT', 'Africa/Abidjan', 'EST', 'America/Panama', 'MST', 'America/Phoenix', 'HST', 'Pacific/Honolulu',
    'EST5EDT', 'America/New_York', 'CST6CDT', 'America/Chicago', 'MST7MDT', 'America/Denver', 'PST8PDT', 'America/Los_Angeles'
  );
begin
  -- Names of regions include daylight saving time; abbreviations and offsets do not. Browsers do not know posix/ and right/.
  if time_zone !~ '^(UTC|(?!(posix|right)/)[A-Za-z_]+(/[A-Za-z0-9_+-]+)+)$' or char_length(time_zone) > 100 then
    perform private.refuse(
      'VALIDATION_ERROR',
      format('time_zone must be the zone of a city, such as %s, or UTC.', coalesce(cities ->> time_zone, 'Europe/Berlin')),
      'time_zone', to_jsonb(time_zone)
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

create function private.time_zone_of(tenant_id uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select t.time_zone from public.tenants t where t.id = tenant_id
$$;
comment on function private.time_zone_of is 'The time zone in which a tenant''s days begin.';

create function private.today(tenant_id uuid) returns date
language sql stable
return (now() at time zone private.time_zone_of(tenant_id))::date;
comment on function private.today is 'The current day of a tenant, in its time zone.';

-- Postgres puts the expression into the query that calls it.
create function private.local_text(at timestamptz, time_zone text) returns text
language sql stable
return case when isfinite(at) then
  (to_jsonb(at at time zone time_zone) #>> '{}')
  || case when at at time zone time_zone < at at time zone 'UTC' then '-' else '+' end
  || to_char(
    greatest(at at time zone time_zone, at at time zone 'UTC') - least(at at time zone time_zone, at at time zone 'UTC'),
    'HH24:MI'
  )
end;
comment on function private.local_text is
  'The text of a time in a time zone, with the offset there: 2026-11-24T09:00:00+13:00. Applications do not compute offsets, because their data of time zones may be older than the database''s.';

create function private.time_of(written text) returns timestamptz
language plpgsql immutable set search_path = ''
as $$
begin
  if written ~ '^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$' then
    return written::timestamptz;
  end if;
  return null;
exception
  -- For example a date that does not exist, or a wrong offset.
  when data_exception then
    return null;
end
$$;
comment on function private.time_of is 'A time in ISO 8601 with its offset; null if it is not one.';

create function private.moment_of(written text, field text, is_end boolean default false) returns timestamptz
language plpgsql stable security definer set search_path = ''
as $$
begin
  if written ~ '^\d{4}-\d{2}-\d{2}$' then
    return (written::date + is_end::integer)::timestamp at time zone private.time_zone_of(private.tenant_id());
  end if;
  perform private.insist(
    written is null or private.time_of(written) is not null, field, 'a date, or a time with its offset', to_jsonb(written)
  );
  return private.time_of(written);
exception
  when datetime_field_overflow or invalid_datetime_format then
    perform private.refuse('VALIDATION_ERROR', 'This date does not exist.', field, to_jsonb(written));
    return null;
end
$$;
comment on function private.moment_of is
  'The start or the end of a period from a text: a time with its offset, which is exact, or a date, which is a day in the time zone of the caller''s tenant. is_end: the end of the day instead of its beginning. Null for null. Refuses other texts with VALIDATION_ERROR.';

create function public.period_bounds("from" text default null, "to" text default null)
returns table (starts_at timestamptz, ends_at timestamptz)
language sql stable rows 1 set search_path = ''
as $$
  select private.moment_of("from", 'from'), private.moment_of("to", 'to', is_end => true)
$$;
comment on function public.period_bounds is
  'The time at which a period starts and the time before which it ends, for the filters of tables and views; null for a bound that is left out. from, to: times with an offset, or dates, which are days of the tenant''s time zone; to includes its day. Refuses with VALIDATION_ERROR.';

create function private.check_tenant_settings() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if jsonb_typeof(new.settings) is distinct from 'object' then
    perform private.refuse('VALIDATION_ERROR', 'settings must be an object.', 'settings', new.settings);
  end if;
  -- A capability with settings adds its name here.
  perform private.known_only(new.settings, array['analytics', 'catalog', 'content', 'media'], 'settings.');
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
  perform private.known_only(changes, array['name', 'time_zone', 'settings', 'updated_at']);
  update public.tenants t
  set name = case when changes ? 'name' then changes ->> 'name' else t.name end,
      time_zone = case when changes ? 'time_zone' then changes ->> 'time_zone' else t.time_zone end,
      settings = case
        when changes ? 'settings' then private.merged_settings(t.settings, changes -> 'settings') else t.settings
      end
  where t.id = private.tenant_id() and private.is_unchanged(t.updated_at, changes)
  returning * into changed;
  if changed.id is null then
    perform private.refuse_outdated('tenant', changes);
  end if;
  return to_jsonb(changed);
end
$$;
comment on function public.update_tenant is
  'For admins: changes the tenant''s name, time_zone and settings, and returns its whole record. Settings that are not sent do not change; null removes one. Refuses with CONFLICT if updated_at is sent and differs from the tenant''s.';

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

create function public.update_supplier(supplier_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  changed public.suppliers;
begin
  perform private.known_only(changes, array['name', 'verified', 'legal', 'updated_at']);
  update public.suppliers s
  set name = case when changes ? 'name' then changes ->> 'name' else s.name end,
      verified = case when changes ? 'verified' then (changes ->> 'verified')::boolean else s.verified end,
      legal = case when changes ? 'legal' then changes -> 'legal' else s.legal end
  where s.id = update_supplier.supplier_id and private.is_unchanged(s.updated_at, changes)
  returning * into changed;
  if changed.id is null then
    if exists (select 1 from public.suppliers s where s.id = update_supplier.supplier_id) then
      perform private.refuse_outdated('supplier', changes);
    end if;
    perform private.refuse('NOT_FOUND', 'There is no such supplier.');
  end if;
  return to_jsonb(changed);
end
$$;
comment on function public.update_supplier is
  'For admins, and suppliers for themselves: changes the name, the legal identity and, for admins, verified, and returns the whole record. Fields that are not sent do not change. Refuses with CONFLICT if updated_at is sent and differs from the supplier''s.';

alter table public.suppliers alter column tenant_id set default private.tenant_id();
alter table public.customers alter column tenant_id set default private.tenant_id();

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.tenants for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.suppliers for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.customers for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.members for each row execute function private.keep_nfc();

create trigger tenants_are_changed_by_admins
  before insert or update or delete on public.tenants
  for each statement execute function private.only_for('admin');

create trigger tenants_check_settings
  before insert or update of settings on public.tenants
  for each row execute function private.check_tenant_settings();

create trigger tenants_check_time_zone
  before insert or update of time_zone on public.tenants
  for each row execute function private.check_tenant_time_zone();

create trigger tenants_touch
  before update on public.tenants
  for each row execute function private.touch();

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
  before update of name, verified on public.suppliers
  for each row when ((old.name, old.verified) <> (new.name, new.verified))
  execute function private.check_supplier();

create trigger suppliers_touch
  before update on public.suppliers
  for each row execute function private.touch();

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

create policy "Admins and clients see all listed customers, customers themselves" on public.customers
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then id = (select private.customer_id())
      else (select private.reads_all()) and is_listed
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

grant select on public.tenants, public.suppliers, public.customers, public.members to authenticated;
grant update (name, time_zone, settings) on public.tenants to authenticated;
grant update (role, status, supplier_id, content_roles), delete on public.members to authenticated;
grant insert (name, verified, legal), update (name, verified, legal) on public.suppliers to authenticated;
grant insert (name, email) on public.customers to authenticated;
grant all on public.tenants, public.suppliers, public.customers, public.members to service_role;

grant execute on function
  public.sort_name(public.suppliers), public.sort_name(public.customers), public.sort_name(public.members)
to authenticated, service_role;
grant execute on function
  public.update_tenant, public.create_supplier, public.update_supplier, public.period_bounds
to authenticated;
grant execute on function
  private.check_time_zone, private.time_zone_of, private.local_text, private.moment_of, private.tenant_id(), private.tenant_role(),
  private.members_only(), private.refuse_stranger(), private.reads_all(), private.reads_all(public.member_role),
  private.supplier_id(), private.customer_id(), private.is_guest()
to authenticated, service_role;

-- supabase/schemas/auth/0200_auth.sql

-- Registration: an account of Supabase Auth becomes a member of a tenant in the transaction that creates it. The request
-- is in the account's metadata, so `/auth/register` and `supabase.auth.signUp({ options: { data } })` work alike:
-- `tenant_name` (a new tenant), or `tenant_id` with `role` customer (the default) or supplier, or `invitation`; and
-- `name`. Metadata grants no rights by itself: a new tenant is empty, anyone may join as a customer or an unverified
-- supplier, and an admin has decided what an invitation grants. A user with an account joins further tenants by the same
-- fields. This file also records the tenant of each session.

create type public.invitation_status as enum ('pending', 'accepted', 'expired');

-- tables ---------------------------------------------------------------------------------------

create table public.invitations (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  email text collate "C" not null,
  role public.member_role not null,
  supplier_id uuid,
  invited_by uuid references auth.users (id) on delete set null,
  expires_at timestamptz not null default now() + interval '7 days',
  accepted_at timestamptz,
  accepted_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default now(),
  constraint invitations_tenant_id_id_key unique (tenant_id, id),
  constraint invitations_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  constraint invitations_email_is_an_address_in_lower_case check (private.is_email(email)),
  constraint invitations_supplier_id_is_set_for_suppliers_only check (role = 'supplier' or supplier_id is null)
);
comment on table public.invitations is
  'Invitations to join a tenant with a role, and for suppliers an organisation. Without one, the supplier gets a new organisation.';
alter table public.invitations replica identity using index invitations_tenant_id_id_key;

create table private.invitation_tokens (
  token_hash text not null,
  tenant_id uuid not null,
  invitation_id uuid not null,
  -- In this order for lookups by token.
  constraint invitation_tokens_pkey primary key (token_hash, tenant_id),
  constraint invitation_tokens_invitation_id_key unique (tenant_id, invitation_id),
  constraint invitation_tokens_invitation_id_fkey foreign key (tenant_id, invitation_id)
    references public.invitations (tenant_id, id) on delete cascade
);
comment on table private.invitation_tokens is
  'SHA-256 of the token of each invitation. The token itself is not stored: it is derived from the invitation''s id.';

create table private.signing_keys (
  name text primary key,
  key bytea not null default extensions.gen_random_bytes(32)
);
comment on table private.signing_keys is
  'Keys that tokens are derived from, and the key that identifies the functions. They are not in the vault, because its secrets cannot be read after the database is restored into another project.';

create table private.session_tenants (
  session_id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  chosen_at timestamptz not null default clock_timestamp()
);
comment on table private.session_tenants is
  'The tenant of each session, for users with several tenants. A new session starts in the tenant chosen last.';

create table private.spent_refresh_tokens (
  token_hash text primary key,
  session_id uuid not null,
  spent_at timestamptz not null default now()
);
comment on table private.spent_refresh_tokens is
  'SHA-256 of every refresh token used at /auth/refresh, with the time of its first use. Supabase Auth returns the successor of a used token again until the successor is used; /auth/refresh does so only for 10 seconds.';

-- indexes --------------------------------------------------------------------------------------

create unique index email_is_unique_in_invitations on public.invitations (tenant_id, email) where accepted_at is null;
create index invitations_tenant_id_created_at_idx on public.invitations (tenant_id, created_at desc, id);
create index invitations_supplier_idx on public.invitations (tenant_id, supplier_id);
create index invitations_invited_by_idx on public.invitations (invited_by);
create index invitations_accepted_by_idx on public.invitations (accepted_by);
create index session_tenants_user_id_idx on private.session_tenants (user_id, chosen_at desc);
create unique index session_tenants_tenant_id_idx on private.session_tenants (tenant_id, session_id);
alter table private.session_tenants replica identity using index session_tenants_tenant_id_idx;
create index session_tenants_chosen_at_idx on private.session_tenants (chosen_at);
create index spent_refresh_tokens_spent_at_idx on private.spent_refresh_tokens (spent_at);

-- functions ------------------------------------------------------------------------------------

create function private.token_hash(token text) returns text
language sql immutable set search_path = ''
as $$
  select encode(sha256(convert_to(token, 'utf8')), 'hex')
$$;
comment on function private.token_hash is 'The hash of a token, which is stored instead of it.';

create function private.signed(with_key text, message text) returns bytea
language sql stable security definer set search_path = ''
as $$
  select extensions.hmac(convert_to(message, 'utf8'), k.key, 'sha256')
  from private.signing_keys k
  where k.name = with_key
$$;
comment on function private.signed is 'The signature of a message with the key of this name. Granted to nobody.';

create function private.set_signing_key(name text, key text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  given bytea := case when key ~ '^([0-9a-f]{2}){32,128}$' then decode(key, 'hex') end;
  present bytea := (select k.key from private.signing_keys k where k.name = set_signing_key.name);
begin
  -- No message has the value: it would be in logs.
  if present is null then
    perform private.refuse(
      'VALIDATION_ERROR',
      format('name must be one of %s.', (select string_agg(k.name, ', ' order by k.name) from private.signing_keys k)),
      'name', to_jsonb(set_signing_key.name)
    );
  elsif given is null then
    perform private.refuse('VALIDATION_ERROR', 'key must have 32 to 128 bytes, as hexadecimal digits in lower case.', 'key');
  elsif given = present then
    return;
  elsif exists (select from public.tenants) then
    perform private.refuse(
      'CONFLICT', 'What the present key has signed would no longer be valid. A key can be set until the first tenant exists.', 'key'
    );
  end if;
  update private.signing_keys k set key = given where k.name = set_signing_key.name;
end
$$;
comment on function private.set_signing_key is 'See public.set_signing_key.';

create function public.set_signing_key(name text, key text) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.set_signing_key(name, key);
end
$$;
comment on function public.set_signing_key is
  'For the operator: sets the key of this name in private.signing_keys, as hexadecimal digits, until the first tenant exists. So that a tenant can move between two projects, both have the same keys. The present key can be set at any time. Refuses with VALIDATION_ERROR, CONFLICT.';

create function private.invitation_token(invitation_id uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select encode(private.signed('invitations', invitation_token.invitation_id::text), 'hex')
$$;
comment on function private.invitation_token is 'The token of an invitation, which is always the same. Granted to nobody.';

create function private.own_invitation_token(invitation_id uuid) returns text
language sql stable security definer set search_path = ''
as $$
  select private.invitation_token(i.id)
  from public.invitations i
  where i.id = own_invitation_token.invitation_id
    and i.tenant_id = private.tenant_id()
    and i.invited_by = auth.uid()
$$;
comment on function private.own_invitation_token is
  'The token of an invitation that the caller created; null for another user''s invitation, or a withdrawn one.';

create function private.invitation_of(token text) returns public.invitations
language sql stable security definer set search_path = ''
as $$
  select i
  from private.invitation_tokens t
  join public.invitations i on i.tenant_id = t.tenant_id and i.id = t.invitation_id
  where t.token_hash = private.token_hash(token)
$$;
comment on function private.invitation_of is 'The invitation of a token; null for an unknown token or a withdrawn invitation.';

create function private.problem(http_code integer, field text, message text) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object('http_code', http_code, 'field', field, 'message', message)
$$;
comment on function private.problem is 'A problem with a request to join: an error object of an Auth hook, and the invalid field.';

create function private.refuse_problem(problem jsonb, value jsonb default 'null') returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse(
    case problem ->> 'http_code' when '404' then 'NOT_FOUND' else 'VALIDATION_ERROR' end,
    problem ->> 'message', problem ->> 'field', value
  );
end
$$;
comment on function private.refuse_problem is
  'Ends the transaction with a problem: NOT_FOUND or VALIDATION_ERROR, with its field and the value that was sent.';

create function private.invitation_problem(token text, email text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  invitation public.invitations := private.invitation_of(token);
begin
  return case
    when invitation.id is null
      then private.problem(404, 'invitation', 'There is no such invitation.')
    when invitation.email <> lower(coalesce(invitation_problem.email, ''))
      then private.problem(422, 'invitation', 'The invitation is for another e-mail address.')
    when invitation.accepted_at is not null
      then private.problem(422, 'invitation', 'The invitation has already been accepted.')
    when invitation.expires_at <= now()
      then private.problem(422, 'invitation', 'The invitation has expired. Ask for a new one.')
  end;
end
$$;
comment on function private.invitation_problem is 'The reason why an invitation cannot be accepted; null if it can.';

create function private.join_problem(request jsonb, email text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return case
    when num_nonnulls(request ->> 'tenant_name', request ->> 'tenant_id', request ->> 'invitation') > 1
      then private.problem(422, 'tenant_name', 'Send one of tenant_name, tenant_id and invitation.')
    when request ->> 'invitation' is not null
      then private.invitation_problem(request ->> 'invitation', email)
    when char_length(request ->> 'tenant_name') not between 1 and 200
        or not private.is_more_than_spaces(request ->> 'tenant_name')
      then private.problem(422, 'tenant_name', 'tenant_name must have 1 to 200 characters, one of them visible.')
    when request ->> 'tenant_id' is null then null
    when not exists (
      select 1
      from public.tenants t
      where t.id = (
        -- A text that is not a UUID matches nothing. The cast must not fail.
        case when private.is_uuid(request ->> 'tenant_id') then request ->> 'tenant_id' end
      )::uuid
    )
      then private.problem(404, 'tenant_id', 'No tenant has this id.')
    when coalesce(request ->> 'role', 'customer') not in ('customer', 'supplier')
      then private.problem(422, 'role', 'role must be customer or supplier.')
  end;
end
$$;
comment on function private.join_problem is
  'The reason why a request to join, {tenant_name}, {tenant_id, role} or {invitation}, cannot be carried out; null if it can.';

create function private.access_token_hook(event jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  account uuid := (event ->> 'user_id')::uuid;
  session uuid := (event -> 'claims' ->> 'session_id')::uuid;
  member public.members;
begin
  select m.* into member
  from public.members m
  where m.user_id = account and m.status = 'active'
  order by
    m.tenant_id = (select s.tenant_id from private.session_tenants s where s.session_id = session) desc nulls last,
    m.tenant_id = (
      select s.tenant_id
      from private.session_tenants s
      where s.user_id = account
      order by s.chosen_at desc
      limit 1
    ) desc nulls last,
    m.created_at, m.tenant_id
  limit 1;
  if member.tenant_id is null then
    return event;
  end if;

  -- A session stays in its tenant, whatever other sessions of the user choose.
  if session is not null then
    insert into private.session_tenants (session_id, user_id, tenant_id)
    values (session, account, member.tenant_id)
    on conflict do nothing;
  end if;
  return jsonb_set(
    event,
    '{claims}',
    (event -> 'claims') || jsonb_build_object('tenant_id', member.tenant_id, 'tenant_role', member.role)
  );
end
$$;
comment on function private.access_token_hook is
  'Auth hook: puts tenant_id and tenant_role into the access token: those of the session''s tenant while the user is an active member of it, else those of another tenant of the user.';

create function private.take_invitation(token text, account uuid) returns public.invitations
language plpgsql security definer set search_path = ''
as $$
declare
  taken public.invitations;
begin
  -- If several requests use the same token at the same time, one of them succeeds.
  update public.invitations i
  set accepted_at = now(), accepted_by = account
  where i.id = (private.invitation_of(token)).id and i.accepted_at is null
  returning i.* into taken;
  if taken.id is null then
    perform private.refuse('VALIDATION_ERROR', 'The invitation has already been accepted.', 'invitation', 'null');
  end if;
  return taken;
end
$$;
comment on function private.take_invitation is
  'Marks a valid invitation as accepted. The calling function creates the membership.';

create function private.join_as(
  tenant uuid, account uuid, role public.member_role, supplier uuid, display_name text
) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if join_as.role = 'supplier' and supplier is null then
    insert into public.suppliers (tenant_id, name) values (tenant, display_name) returning id into supplier;
  end if;
  insert into public.members (tenant_id, user_id, role, supplier_id)
  values (tenant, account, join_as.role, supplier)
  on conflict do nothing;
  if not found then
    perform private.refuse('CONFLICT', 'You are already a member of this tenant.');
  end if;
end
$$;
comment on function private.join_as is
  'Creates a membership. A supplier without an organisation gets a new one with its own name. Refuses members with CONFLICT.';

create function private.join_by_request(request jsonb, account uuid) returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  address text;
  display_name text;
  problem jsonb;
  invitation public.invitations;
  tenant uuid;
begin
  select u.email, coalesce(nullif(private.account_name(u.raw_user_meta_data, u.email), ''), 'Nameless')
  into address, display_name
  from auth.users u
  where u.id = account;
  problem := private.join_problem(request, address);
  if problem is not null then
    -- A refusal never contains a token.
    perform private.refuse_problem(problem, coalesce((request - 'invitation') -> (problem ->> 'field'), 'null'));
  end if;

  if request ->> 'tenant_name' is not null then
    insert into public.tenants (name) values (request ->> 'tenant_name') returning id into tenant;
    perform private.join_as(tenant, account, 'admin', null, display_name);
  elsif request ->> 'tenant_id' is not null then
    tenant := (request ->> 'tenant_id')::uuid;
    perform private.join_as(
      tenant, account, coalesce(request ->> 'role', 'customer')::public.member_role, null, display_name
    );
  elsif request ->> 'invitation' is not null then
    invitation := private.take_invitation(request ->> 'invitation', account);
    tenant := invitation.tenant_id;
    perform private.join_as(tenant, account, invitation.role, invitation.supplier_id, display_name);
  end if;
  return tenant;
end
$$;
comment on function private.join_by_request is
  'Creates the membership that an account requests, and returns its tenant; null if it requests none. Refuses with NOT_FOUND, VALIDATION_ERROR, CONFLICT.';

create function private.join_by_registration() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.join_by_request(coalesce(new.raw_user_meta_data, '{}'), new.id);
  return null;
end
$$;
comment on function private.join_by_registration() is 'Row trigger: creates the membership that a new account requests.';

create function private.create_invitation(email text, role public.member_role, supplier_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  tenant uuid := private.tenant_id();
  address text := lower(create_invitation.email);
  token text;
  created public.invitations;
begin
  if private.tenant_role() is distinct from 'admin' then
    perform private.refuse('FORBIDDEN', 'Only admins may invite members.');
  elsif exists (select 1 from public.members m where m.tenant_id = tenant and m.email = address) then
    perform private.refuse(
      'CONFLICT', 'There is already a member with this address.', 'email', to_jsonb(create_invitation.email)
    );
  end if;
  -- Only the latest token for an address is valid.
  delete from public.invitations i
  where i.tenant_id = tenant and i.email = address and i.accepted_at is null;
  insert into public.invitations (tenant_id, email, role, supplier_id, invited_by)
  values (tenant, address, create_invitation.role, create_invitation.supplier_id, auth.uid())
  returning * into created;
  token := private.invitation_token(created.id);
  insert into private.invitation_tokens (token_hash, tenant_id, invitation_id)
  values (private.token_hash(token), created.tenant_id, created.id);
  return to_jsonb(created) || jsonb_build_object('status', 'pending', 'token', token);
end
$$;
comment on function private.create_invitation is
  'Creates an invitation and its token. Refuses with FORBIDDEN, CONFLICT, NOT_FOUND (the supplier), VALIDATION_ERROR.';

create function public.create_invitation(
  email text, role public.member_role, supplier_id uuid default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.create_invitation(email, role, supplier_id);
end
$$;
comment on function public.create_invitation is
  'For admins: invites an e-mail address, and replaces its earlier invitation. Returns the whole record with the token, which is shown only once.';

create function private.withdraw_invitations() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  delete from public.invitations i
  where i.tenant_id = old.tenant_id and i.email = old.email and i.accepted_at is null;
  return null;
end
$$;
comment on function private.withdraw_invitations() is
  'Row trigger: withdraws the invitations of a removed member, so that it cannot join again with one.';

create view public.invitation_details with (security_invoker = true) as
select
  i.id, i.tenant_id, i.email, i.role, i.supplier_id, i.invited_by, i.expires_at, i.accepted_at, i.accepted_by,
  i.created_at,
  case
    when i.accepted_at is not null then 'accepted'
    when i.expires_at <= now() then 'expired'
    else 'pending'
  end::public.invitation_status as status
from public.invitations i;
comment on view public.invitation_details is 'Invitations with their status.';

create function private.my_tenants() returns table (
  id uuid, name text, role public.member_role, status public.member_status, supplier_id uuid, customer_id uuid,
  current boolean, created_at timestamptz
)
language plpgsql stable security definer set search_path = ''
as $$
begin
  return query
    select
      t.id, t.name, m.role, m.status, m.supplier_id, c.id,
      t.id = ((select auth.jwt()) ->> 'tenant_id')::uuid and m.status = 'active', m.created_at
    from public.members m
    join public.tenants t on t.id = m.tenant_id
    left join public.customers c on c.tenant_id = m.tenant_id and c.user_id = m.user_id
    where m.user_id = (select auth.uid());
end
$$;
comment on function private.my_tenants() is 'The memberships of the caller in all tenants.';

create function public.my_tenants() returns table (
  id uuid, name text, role public.member_role, status public.member_status, supplier_id uuid, customer_id uuid,
  current boolean, created_at timestamptz, sort_name private.sort_text
)
language plpgsql stable set search_path = ''
as $$
begin
  return query
    select m.id, m.name, m.role, m.status, m.supplier_id, m.customer_id, coalesce(m.current, false), m.created_at,
      private.sort_name(m.name)::private.sort_text
    from private.my_tenants() m;
end
$$;
comment on function public.my_tenants() is
  'The caller''s memberships with role and status. current: whether the token is of this tenant. sort_name: the key for sorting by name.';

create function private.my_tenant(tenant_id uuid) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select to_jsonb(t) - 'sort_name' from public.my_tenants() t where t.id = my_tenant.tenant_id
$$;
comment on function private.my_tenant is 'One membership of the caller.';

create function private.join_one_more(request jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid;
begin
  if (select u.is_anonymous from auth.users u where u.id = auth.uid()) then
    perform private.refuse('FORBIDDEN', 'A guest is a customer of one tenant. Register first.');
  end if;
  -- A statement of its own, so that the next statement sees the membership.
  tenant := private.join_by_request(request, auth.uid());
  return private.my_tenant(tenant);
end
$$;
comment on function private.join_one_more is
  'Makes the caller a member of a further tenant, and returns the membership. Refuses with FORBIDDEN (guests), NOT_FOUND, VALIDATION_ERROR, CONFLICT.';

create function public.open_tenant(tenant_name text) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.join_one_more(jsonb_build_object('tenant_name', coalesce(tenant_name, '')));
end
$$;
comment on function public.open_tenant is
  'For users with an account: creates a tenant with the caller as its admin. Returns the membership. Switch to it with switch_tenant.';

create function public.join_tenant(tenant_id uuid, role public.member_role default 'customer') returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.join_one_more(jsonb_build_object('tenant_id', coalesce(tenant_id::text, ''), 'role', role));
end
$$;
comment on function public.join_tenant is
  'For users with an account: joins a tenant as a customer, or as a supplier with a new, unverified organisation. Returns the membership. Switch to it with switch_tenant.';

create function public.accept_invitation(invitation text) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.join_one_more(jsonb_build_object('invitation', coalesce(invitation, '')));
end
$$;
comment on function public.accept_invitation is
  'For users with an account: accepts the invitation of a token. Returns the membership. Switch to it with switch_tenant.';

create function private.switch_tenant(tenant_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  account uuid := auth.uid();
  session uuid := (auth.jwt() ->> 'session_id')::uuid;
begin
  perform 1
  from public.members m
  where m.user_id = account and m.tenant_id = switch_tenant.tenant_id and m.status = 'active';
  if not found then
    perform private.refuse(
      'NOT_FOUND', 'You are not an active member of a tenant with this id.', 'tenant_id', to_jsonb(switch_tenant.tenant_id)
    );
  elsif session is null then
    perform private.refuse('FORBIDDEN', 'This token has no session. Log in again.');
  end if;
  insert into private.session_tenants (session_id, user_id, tenant_id)
  values (session, account, switch_tenant.tenant_id)
  on conflict on constraint session_tenants_pkey do update
  set tenant_id = excluded.tenant_id, chosen_at = excluded.chosen_at;
  return private.my_tenant(switch_tenant.tenant_id);
end
$$;
comment on function private.switch_tenant is 'Records the tenant of the caller''s session. Refuses with NOT_FOUND.';

create function public.switch_tenant(tenant_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.switch_tenant(tenant_id);
end
$$;
comment on function public.switch_tenant is
  'Moves the caller''s session to another tenant of the caller, and returns that membership. Refresh the session to get a token of that tenant.';

create function public.me() returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'user', jsonb_build_object(
        'id', m.user_id, 'email', nullif(m.email, ''), 'name', m.name, 'role', m.role, 'tenant_id', m.tenant_id,
        'is_anonymous', m.is_anonymous
      ),
      'tenant', jsonb_build_object('id', t.id, 'name', t.name),
      'role', m.role,
      'content_roles', m.content_roles,
      'supplier_id', m.supplier_id,
      'supplier', (
        select jsonb_build_object('id', s.id, 'name', s.name, 'verified', s.verified)
        from public.suppliers s
        where s.id = m.supplier_id
      ),
      'customer_id', private.customer_id()
    )
    from public.members m
    join public.tenants t on t.id = m.tenant_id
    where m.tenant_id = (select private.tenant_id()) and m.user_id = (select auth.uid())
  );
end
$$;
comment on function public.me() is
  'The caller''s current user, tenant and role. Null without an active membership.';

create function private.end_session_of_spent(token_hash text) returns boolean
language plpgsql security definer set search_path = ''
as $$
declare
  -- The same as refresh_token_reuse_interval in the configuration of Supabase Auth.
  late boolean := exists (
    select
    from private.spent_refresh_tokens t
    where t.token_hash = end_session_of_spent.token_hash and t.spent_at <= now() - interval '10 seconds'
  );
begin
  if late then
    delete from auth.sessions s
    using private.spent_refresh_tokens t
    where t.token_hash = end_session_of_spent.token_hash and s.id = t.session_id;
  end if;
  return late;
end
$$;
comment on function private.end_session_of_spent is 'See public.end_session_of_spent.';

create function public.end_session_of_spent(token_hash text) returns boolean
language plpgsql set search_path = ''
as $$
begin
  return private.end_session_of_spent(token_hash);
end
$$;
comment on function public.end_session_of_spent is
  'For /auth/refresh: ends the session of a token whose first use was 10 seconds ago or earlier, with all its tokens. Returns whether it did.';

create function public.spend_refresh_token(token_hash text, session_id uuid) returns boolean
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into private.spent_refresh_tokens (token_hash, session_id)
  values (spend_refresh_token.token_hash, spend_refresh_token.session_id)
  on conflict on constraint spent_refresh_tokens_pkey do nothing;
  return not private.end_session_of_spent(spend_refresh_token.token_hash);
end
$$;
comment on function public.spend_refresh_token is
  'For /auth/refresh: records the first use of a session''s token. Returns whether the current use is within 10 seconds of it. If it is later, ends the session.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.invitations for each row execute function private.keep_nfc();

create trigger a_new_account_joins_its_tenant
  after insert on auth.users
  for each row when (not new.is_anonymous)
  execute function private.join_by_registration();

create trigger invitations_are_made_by_admins
  before insert or update or delete on public.invitations
  for each statement execute function private.only_for('admin');

create trigger members_withdraw_invitations
  after delete on public.members
  for each row execute function private.withdraw_invitations();

-- policies -------------------------------------------------------------------------------------

alter table private.invitation_tokens enable row level security;
alter table private.signing_keys enable row level security;
alter table private.session_tenants enable row level security;
alter table private.spent_refresh_tokens enable row level security;
alter table public.invitations enable row level security;

create policy "Admins and clients see their tenant's invitations" on public.invitations
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.reads_all())
  );

create policy "Admins withdraw invitations" on public.invitations
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

-- grants ---------------------------------------------------------------------------------------

grant select, insert on private.spent_refresh_tokens to service_role;
grant execute on function
  private.end_session_of_spent, public.end_session_of_spent, public.spend_refresh_token
to service_role;

grant execute on function private.refuse_problem, private.set_signing_key, public.set_signing_key to service_role;
grant execute on function private.access_token_hook to supabase_auth_admin;
grant select, delete on public.invitations to authenticated;
grant select on public.invitation_details to authenticated;
grant all on public.invitations, public.invitation_details to service_role;
grant execute on function
  private.own_invitation_token, private.create_invitation, private.join_one_more, private.switch_tenant, private.my_tenants()
to authenticated;
grant execute on function
  public.create_invitation, public.open_tenant, public.join_tenant, public.accept_invitation,
  public.switch_tenant, public.my_tenants(), public.me()
to authenticated;

-- supabase/schemas/limits/0250_limits.sql

-- Limits: idempotency, rate limits and caps. A POST that is sent again with its Idempotency-Key is carried out once: its
-- outcome is stored in the same transaction, so that a crash leaves both or neither. Requests are counted here, because
-- functions run in many instances that share no memory.

-- tables ---------------------------------------------------------------------------------------

create table private.idempotency_keys (
  user_id uuid not null references auth.users (id) on delete cascade,
  tenant_id uuid references public.tenants (id) on delete cascade,
  key text not null,
  fingerprint bytea not null,
  outcome jsonb not null,
  created_at timestamptz not null default now(),
  constraint key_is_unique_in_idempotency_keys unique nulls not distinct (user_id, tenant_id, key),
  constraint idempotency_keys_outcome_is_an_answer_or_a_refusal check (outcome ? 'answer' <> outcome ? 'refusal')
);
comment on table private.idempotency_keys is
  'The outcome of each Idempotency-Key of a user, for 24 hours. tenant_id: the tenant of the request; the same key in another tenant is a different request. fingerprint: SHA-256 of the operation and its arguments.';
-- The whole row identifies it for replication, because tenant_id may be null.
alter table private.idempotency_keys replica identity full;

create table private.rate_limits (
  kind text primary key,
  requests_per_minute integer not null,
  constraint rate_limits_requests_per_minute_is_positive check (requests_per_minute > 0)
);
comment on table private.rate_limits is
  'Limits per minute: requests of a user by role, requests of an IP address without a token, failed logins of an e-mail address, reads of visitors of an IP address.';

create table private.caps (
  name text primary key,
  value bigint not null,
  unit text not null,
  constraint caps_value_is_positive check (value > 0)
);
comment on table private.caps is
  'Caps on resources that all tenants share: bytes, rows and events. The operator can change them.';

create unlogged table private.request_counts (
  subject text primary key,
  minute timestamptz not null,
  count integer not null
)
-- The same rows are updated all the time. With free space in each page, updates stay in their page (HOT).
with (fillfactor = 50);
comment on table private.request_counts is
  'The requests of each subject in its latest minute. Unlogged: lost in a crash.';

create unlogged table private.rest_requests (
  user_id uuid not null,
  made_at timestamptz not null
);
comment on table private.rest_requests is
  'Writes and calls of users through /rest/v1, if they are counted. One row for each, because counting in a shared row would block others until the end of the transaction. Unlogged: lost in a crash.';

-- indexes --------------------------------------------------------------------------------------

create index rest_requests_user_id_idx on private.rest_requests (user_id, made_at);
create index rest_requests_made_at_idx on private.rest_requests (made_at);

create index idempotency_keys_tenant_id_idx on private.idempotency_keys (tenant_id);
create index idempotency_keys_created_at_idx on private.idempotency_keys (created_at);

-- functions ------------------------------------------------------------------------------------

create function private.cap(name text) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
declare
  value bigint := (select c.value from private.caps c where c.name = cap.name);
begin
  if value is null then
    raise exception 'there is no cap named %', name;
  end if;
  return value;
end
$$;
comment on function private.cap is 'The value of a cap.';

create function private.refuse_beyond(cap text, message text, field text default null, value jsonb default null)
returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse(
    'LIMIT_REACHED', message, field, value, jsonb_build_object('cap', cap, 'maximum', private.cap(cap))
  );
end
$$;
comment on function private.refuse_beyond is
  'Ends the transaction with LIMIT_REACHED, whose details have the cap and its value.';

create function private.bound_record(bytes bigint, share numeric, message text, field text default null) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if bytes > share * private.cap('record_bytes') then
    perform private.refuse_beyond('record_bytes', message, field);
  end if;
end
$$;
comment on function private.bound_record is
  'Refuses with LIMIT_REACHED a part of a record that is larger than its share of the cap record_bytes.';

create function public.set_cap(name text, value bigint) returns void
language plpgsql set search_path = ''
as $$
begin
  update private.caps c set value = set_cap.value where c.name = set_cap.name;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such cap.', 'name', to_jsonb(name));
  end if;
end
$$;
comment on function public.set_cap is
  'For the operator: sets a cap. docs/limits.md lists them. It applies from the next statement, to new data.';

create function private.kept_outcome(key text, fingerprint bytea) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller uuid := auth.uid();
  tenant uuid := private.tenant_id();
  kept private.idempotency_keys;
begin
  if caller is null then
    perform private.refuse('FORBIDDEN', 'An Idempotency-Key requires a signed-in user.');
  end if;
  if not private.try_hold('idempotency_key', format('%s %s %s', caller, tenant, kept_outcome.key)) then
    perform private.refuse_for_now(
      'A request with this key is still running. Try again in a moment.', 'Idempotency-Key', to_jsonb(kept_outcome.key)
    );
  end if;
  select * into kept
  from private.idempotency_keys k
  where k.user_id = caller and k.tenant_id is not distinct from tenant and k.key = kept_outcome.key
    and k.created_at > now() - interval '24 hours';
  if kept.fingerprint <> kept_outcome.fingerprint then
    perform private.refuse(
      'IDEMPOTENCY_KEY_REUSED', 'Another request was sent with this key.',
      'Idempotency-Key', to_jsonb(kept_outcome.key)
    );
  end if;
  return kept.outcome;
end
$$;
comment on function private.kept_outcome is
  'Locks a key of the caller until the end of the transaction, and returns its stored outcome; null for a new key. Refuses with CONFLICT, IDEMPOTENCY_KEY_REUSED.';

create function private.keep_outcome(key text, fingerprint bytea, outcome jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.idempotency_keys (user_id, tenant_id, key, fingerprint, outcome)
  values (auth.uid(), private.tenant_id(), keep_outcome.key, keep_outcome.fingerprint, keep_outcome.outcome)
  -- The row of a key may be older than 24 hours and not deleted yet.
  on conflict on constraint key_is_unique_in_idempotency_keys do update
  set fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = excluded.created_at;
end
$$;
comment on function private.keep_outcome is 'Stores the outcome of a request of the caller.';

create function private.call_of(operation text, arguments jsonb) returns text
language plpgsql stable set search_path = ''
as $$
declare
  call text;
begin
  -- The same choice as PostgREST: the function with all sent arguments and no missing ones.
  select format(
    'select to_jsonb(public.%I(%s)) from jsonb_to_record($1) as sent (%s)',
    p.proname,
    string_agg(format('%1$I => sent.%1$I', a.name), ', ' order by a.position) filter (where arguments ? a.name),
    string_agg(format('%I %s', a.name, format_type(a.type, null)), ', ' order by a.position)
  )
  into call
  from pg_catalog.pg_proc p
  cross join lateral unnest(p.proargnames, p.proargtypes::oid[])
    with ordinality as a (name, type, position)
  where p.pronamespace = 'public'::regnamespace
    and p.proname = operation
    and p.proname <> 'perform_once'
    and p.prokind = 'f'
    and not p.proretset
    and a.position <= p.pronargs
  group by p.oid, p.proname, p.pronargs, p.pronargdefaults
  having count(*) filter (where arguments ? a.name) = (select count(*) from jsonb_object_keys(arguments))
    and bool_and(arguments ? a.name or a.position > p.pronargs - p.pronargdefaults);
  if call is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no operation with this name and these arguments.', 'operation', to_jsonb(operation)
    );
  end if;
  return call;
end
$$;
comment on function private.call_of is
  'The statement that calls a function of the API. Its single parameter holds the named arguments.';

create function private.without_secret(outcome jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select case
    when jsonb_typeof(outcome #> '{answer,secret}') = 'string' then
      jsonb_set(
        outcome, '{answer}',
        (outcome -> 'answer') || jsonb_build_object(
          'secret', null,
          'secret_sha256', encode(sha256(convert_to(outcome #>> '{answer,secret}', 'utf8')), 'hex')
        )
      )
    when jsonb_typeof(outcome #> '{answer,token}') = 'string' then jsonb_set(outcome, '{answer,token}', 'null')
    else outcome
  end
$$;
comment on function private.without_secret is
  'An outcome in which a secret is replaced by its digest, because secrets are stored in one place only; and without a token, because tokens are not stored.';

create function private.with_token(operation text, outcome jsonb) returns jsonb
language sql stable set search_path = ''
as $$
  select case
    when operation = 'create_invitation' and outcome ? 'answer' then
      jsonb_set(
        outcome, '{answer,token}',
        coalesce(to_jsonb(private.own_invitation_token((outcome #>> '{answer,id}')::uuid)), 'null')
      )
    else outcome
  end
$$;
comment on function private.with_token is
  'A stored outcome with its token, which is derived again; null if its invitation was withdrawn.';

create function public.perform_once(key text, operation text, arguments jsonb) returns jsonb
-- The timeout of the longest operation that it calls, because the timeout of a called function has no effect.
language plpgsql set search_path = '' set statement_timeout = '30s'
as $$
declare
  fingerprint bytea := sha256(convert_to(jsonb_build_array(operation, arguments)::text, 'utf8'));
  outcome jsonb;
begin
  if perform_once.key is null or perform_once.key collate "C" !~ '^[ -~]{1,255}$' then
    perform private.refuse(
      'INVALID_REQUEST', 'Idempotency-Key must have 1 to 255 printable ASCII characters.',
      'Idempotency-Key', to_jsonb(perform_once.key)
    );
  end if;
  outcome := private.kept_outcome(perform_once.key, fingerprint);
  if outcome is not null then
    return private.with_token(operation, outcome) || jsonb_build_object('replayed', true);
  end if;

  declare
    call text := private.call_of(operation, arguments);
    answer jsonb;
    state text;
    code text;
    details text;
    hint text;
  begin
    execute call into answer using arguments;
    outcome := jsonb_build_object('answer', answer);
  exception
    when others then
      get stacked diagnostics
        state = returned_sqlstate, code = message_text, details = pg_exception_detail, hint = pg_exception_hint;
      -- Our refusals are stored. Other errors may not occur again, so they are not, nor those of private.refuse_for_now.
      if state !~ '^PT4' or state = 'PT429' or details like '%"retry": true%' then
        raise;
      end if;
      outcome := jsonb_build_object(
        'refusal', jsonb_build_object('code', state, 'message', code, 'details', details, 'hint', hint)
      );
  end;
  perform private.keep_outcome(perform_once.key, fingerprint, private.without_secret(outcome));
  return outcome || jsonb_build_object('replayed', false);
end
$$;
comment on function public.perform_once is
  'Calls a function of the API once for each key of a user, and returns {answer, replayed} or, if it refused, {refusal: {code, message, details, hint}, replayed}. The same key and arguments within 24 hours return the first outcome again: with the token of an invitation while that exists, and with the digest of a secret (secret_sha256). Other arguments: IDEMPOTENCY_KEY_REUSED. Still running: CONFLICT.';

create function private.this_minute() returns timestamptz
language plpgsql stable set search_path = ''
as $$
begin
  return date_trunc('minute', now());
end
$$;
comment on function private.this_minute() is 'The start of the current minute, in which requests and events are counted.';

create function public.count_requests(requests jsonb)
returns table (minute timestamptz, resets_in integer, allowed integer, counted integer, member boolean)
language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  this_minute timestamptz := private.this_minute();
begin
  return query
  with asked as (
    select r.kind || ':' || coalesce(r.user_id::text, r.id) as subject, r.kind, r.user_id, r.tenant_id, r.position,
      coalesce(r.cost, 1) as cost
    from rows from (jsonb_to_recordset(requests) as (kind text, id text, user_id uuid, tenant_id uuid, cost integer))
      with ordinality as r (kind, id, user_id, tenant_id, cost, position)
  ),
  counted as (
    insert into private.request_counts as c (subject, minute, count)
    select a.subject, this_minute, sum(a.cost)
    from asked a
    group by a.subject
    -- All transactions lock rows in this order, which prevents deadlocks.
    order by a.subject
    on conflict (subject) do update
    set minute = greatest(c.minute, excluded.minute),
        count = excluded.count + case when c.minute < excluded.minute then 0 else c.count end
    returning c.subject, c.minute, c.count
  )
  select
    c.minute,
    ceil(extract(epoch from c.minute + interval '1 minute' - now()))::integer,
    l.requests_per_minute,
    -- The count after each of a subject's requests. The last one is the stored count.
    (
      c.count + rest.count + a.cost - sum(a.cost) over (partition by a.subject order by a.position desc)
    )::integer,
    m.role is not null
  from asked a
  join counted c on c.subject = a.subject
  cross join lateral (
    select count(*) as count from private.rest_requests r where r.user_id = a.user_id and r.made_at >= c.minute
  ) rest
  left join public.members m
    on m.user_id = a.user_id and m.tenant_id = a.tenant_id and m.status = 'active'
  -- A role without its own limit has the limit of customers.
  left join private.rate_limits own on a.kind = 'user' and own.kind = m.role::text
  left join private.rate_limits l
    on l.kind = case a.kind when 'user' then coalesce(own.kind, 'customer') else a.kind end
  order by a.position;
end
$$;
comment on function public.count_requests is
  'For the functions: counts requests, a list of {kind: user, user_id, tenant_id, cost} and {kind: address | login | visitor, id, cost}, in one statement. cost: the number of requests that it counts as, 1 if left out; 0 only reads the count. Returns for each, in the same order: the minute, the seconds left in it, the limit, the count including this request, and whether the user is an active member of the tenant. A user''s limit is the limit of its current role.';

create function private.functions_key() returns text
language sql stable security definer set search_path = ''
as $$
  select encode(k.key, 'hex') from private.signing_keys k where k.name = 'functions'
$$;
comment on function private.functions_key() is 'See public.functions_key.';

create function public.functions_key() returns text
language plpgsql stable set search_path = ''
as $$
begin
  return private.functions_key();
end
$$;
comment on function public.functions_key() is
  'For the functions: the key that they send with a user''s token, so that /rest/v1 does not count a request again.';

create function public.take_back_request(kind text, id text, minute timestamptz) returns void
language sql set search_path = ''
as $$
  update private.request_counts c
  set count = c.count - 1
  where c.subject = take_back_request.kind || ':' || take_back_request.id and c.minute = take_back_request.minute
$$;
comment on function public.take_back_request is
  'For the functions: takes back a count of a minute, such as for a successful login.';

create function public.set_rate_limit(kind text, requests_per_minute integer) returns void
language plpgsql set search_path = ''
as $$
begin
  update private.rate_limits l
  set requests_per_minute = set_rate_limit.requests_per_minute
  where l.kind = set_rate_limit.kind;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such kind of limit.', 'kind', to_jsonb(kind));
  end if;
end
$$;
comment on function public.set_rate_limit is
  'For the operator: sets the requests per minute of a customer, supplier, client, admin or IP address, of the visitors of an IP address, or the failed logins per minute.';

-- policies -------------------------------------------------------------------------------------

alter table private.idempotency_keys enable row level security;
alter table private.rate_limits enable row level security;
alter table private.request_counts enable row level security;
alter table private.rest_requests enable row level security;
alter table private.caps enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.kept_outcome, private.keep_outcome, private.without_secret, private.with_token,
  private.call_of to authenticated;
grant execute on function public.perform_once to authenticated;

grant select, update on private.rate_limits to service_role;
grant select, insert, update on private.request_counts to service_role;
grant select on private.rest_requests to service_role;
grant execute on function
  public.count_requests, public.take_back_request, public.set_rate_limit, public.functions_key()
to service_role;
grant execute on function private.this_minute(), private.functions_key() to service_role;

grant select, update on private.caps to service_role;
grant execute on function public.set_cap to service_role;
grant execute on function private.cap, private.refuse_beyond, private.bound_record to authenticated, service_role;

-- supabase/schemas/countries/0290_countries.sql

-- Countries, and the addresses in them. What an address must have depends on its country.

-- tables ---------------------------------------------------------------------------------------

create table private.countries (
  code text primary key,
  fields text[] not null,
  required text[] not null,
  city_kind text,
  region_kind text,
  postal_code_kind text,
  postal_code_pattern text,
  postal_code_example text
);
comment on table private.countries is
  'Countries by their code of ISO 3166-1. fields: what addresses there have, of street, city, region and postal_code, in the country''s order. required: what an address must have. The kinds say what a field is called there, such as emirate or eircode. postal_code_pattern: for a whole postal code in capital letters, without anchors; null if any is accepted.';

-- functions: the list --------------------------------------------------------------------------

create function private.list_countries() returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object(
    'countries',
    jsonb_agg(
      jsonb_build_object(
        'code', c.code, 'fields', c.fields, 'required', c.required, 'postal_code_example', c.postal_code_example,
        'kinds', jsonb_strip_nulls(
          jsonb_build_object('city', c.city_kind, 'region', c.region_kind, 'postal_code', c.postal_code_kind)
        )
      )
      order by c.code
    )
  )
  from private.countries c
$$;
comment on function private.list_countries is 'See public.list_countries.';

create function public.list_countries() returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  return private.list_countries();
end
$$;
comment on function public.list_countries is
  'The countries that an address can have: {countries: [{code, fields, required, kinds, postal_code_example}]}. fields: those that addresses there have, in the country''s order. kinds: what city, region and postal_code are there, such as emirate or eircode.';

create function private.is_country(value jsonb) returns boolean
language sql stable security definer set search_path = ''
as $$
  select jsonb_typeof(value) = 'string' and exists (select from private.countries c where c.code = value #>> '{}')
$$;
comment on function private.is_country is 'Whether a JSON value is the code of a country.';

-- functions: addresses -------------------------------------------------------------------------

create function private.address_texts(address jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  street constant text := nullif(
    array_to_string(
      array(
        select l.line from regexp_split_to_table(address ->> 'street', '\r\n?|\n') with ordinality as l (line, place)
        where private.is_more_than_spaces(l.line) order by l.place
      ),
      e'\n'
    ),
    ''
  );
begin
  return (
    select coalesce(jsonb_object_agg(e.key, case e.key when 'street' then to_jsonb(street) else e.value end), '{}')
    from jsonb_each(address) as e
    where e.key not in ('name', 'company', 'street', 'city', 'region', 'postal_code', 'country', 'phone')
      or private.is_more_than_spaces(e.value #>> '{}')
  );
end
$$;
comment on function private.address_texts is
  'An address without known fields that are null or blank, and without blank lines in its street.';

create function private.check_address_texts(address jsonb, field text) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  wrong record;
begin
  if jsonb_typeof(address) is distinct from 'object' then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s must be an object with street, city and what else its country requires.', field),
      field, address
    );
  elsif octet_length(address::text) > 8192 then
    perform private.refuse('VALIDATION_ERROR', format('%s must be at most 8192 bytes.', field), field);
  end if;
  select known.name, known.longest into wrong
  from (
    values
      (1, 'name', 200), (2, 'company', 200), (3, 'street', 500), (4, 'city', 200), (5, 'region', 200),
      (6, 'postal_code', 40), (7, 'country', 2), (8, 'phone', 50)
  ) as known (place, name, longest)
  where jsonb_typeof(address -> known.name) not in ('string', 'null')
    or known.name <> 'country' and char_length(address ->> known.name) > known.longest
  order by known.place
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s.%s must be a text of at most %s characters.', field, wrong.name, wrong.longest),
      format('%s.%s', field, wrong.name), address -> wrong.name
    );
  end if;
end
$$;
comment on function private.check_address_texts is
  'Refuses with VALIDATION_ERROR an address that is not an object, has known fields that are no texts or too long, or has more than 8192 bytes, because lists of orders return it.';

create function private.check_postal_code(code text, country private.countries, field text) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  -- Digits of Arabic, Persian and full-width keyboards count as digits, and so do their hyphens and spaces, and those of
  -- word processors.
  plain constant text := btrim(
    translate(
      code, '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹０１２３４５６７８９－−‐‑–ー' || U&'\00A0\202F\3000',
      '012345678901234567890123456789------   '
    )
  );
begin
  if plain !~* ('^(?:' || country.postal_code_pattern || ')$') then
    perform private.refuse(
      'VALIDATION_ERROR',
      format('%s must be a postal code of %s, such as %s.', field, country.code, country.postal_code_example),
      field, to_jsonb(code)
    );
  end if;
end
$$;
comment on function private.check_postal_code is
  'Refuses with VALIDATION_ERROR a postal code that is none of the country, with an example. Accepts small letters, and the prefix of the country.';

create function private.checked_address(sent jsonb, usual_country text, field text default 'shipping_address') returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  address jsonb;
  country private.countries;
  missing text;
begin
  perform private.check_address_texts(sent, field);
  address := private.address_texts(sent);
  if usual_country is not null and not address ? 'country' then
    address := address || jsonb_build_object('country', usual_country);
  end if;

  select c.* into country from private.countries c where c.code = address ->> 'country';
  if not found and address ? 'country' then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s.country must be the code of a country by ISO 3166-1, such as DE. See /api/countries.', field),
      field || '.country', address -> 'country'
    );
  end if;

  select r.name into missing
  from unnest(coalesce(country.required, '{street,city}')) with ordinality as r (name, place)
  where not address ? r.name
  order by r.place
  limit 1;
  if found then
    perform private.refuse(
      'VALIDATION_ERROR',
      format('%s.%s is required%s.', field, missing, ' in addresses of ' || country.code), format('%s.%s', field, missing),
      sent -> missing
    );
  elsif cardinality(string_to_array(address ->> 'street', e'\n')) > 3 then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s.street must have at most 3 lines.', field), field || '.street', sent -> 'street'
    );
  end if;
  perform private.check_postal_code(address ->> 'postal_code', country, field || '.postal_code');
  return address;
end
$$;
comment on function private.checked_address is
  'An address as it is stored: without blank fields, and with the usual country if it names none. Refuses with VALIDATION_ERROR, naming the field: an unknown country, what is missing by the country''s rules (without a country street and city), a postal code that is none of the country, more than 3 lines of street. Further fields are allowed.';

-- policies -------------------------------------------------------------------------------------

alter table private.countries enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.list_countries, public.list_countries to authenticated;

-- supabase/schemas/marketplaces/0300_marketplaces.sql

-- Marketplaces: the separate trading sites of a tenant, and the currencies in which they trade.

create type public.marketplace_status as enum ('draft', 'active', 'inactive', 'suspended');
create type public.delivery_recipient as enum ('operator', 'supplier');
comment on type public.delivery_recipient is 'The recipient of the delivery amount of a supplier''s part of an order.';

-- tables ---------------------------------------------------------------------------------------

create table private.currencies (
  code text primary key,
  exponent smallint not null
);
comment on table private.currencies is 'Currencies of ISO 4217, with the number of decimals of an amount.';

create table public.marketplaces (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  name text not null,
  description text not null default '',
  category text not null,
  currency text not null references private.currencies (code),
  language text not null,
  domain text not null,
  status public.marketplace_status not null default 'draft',
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint marketplaces_tenant_id_id_key unique (tenant_id, id),
  -- Products refer to this key, so that their currency is the currency of their marketplace.
  constraint marketplaces_tenant_id_id_currency_key unique (tenant_id, id, currency),
  constraint domain_is_unique_in_marketplaces unique (domain),
  constraint marketplaces_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint marketplaces_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint marketplaces_description_is_at_most_10000_characters check (char_length(description) <= 10000),
  constraint marketplaces_category_is_1_to_100_characters check (char_length(category) between 1 and 100),
  -- Language, script, region, variants, extensions, and private use.
  constraint marketplaces_language_is_a_bcp_47_tag check (
    char_length(language) <= 35
    and language ~* ('^([a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8})(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?'
      '(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[0-9a-wy-z](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?$')
  ),
  constraint marketplaces_domain_is_a_host_name check (
    char_length(domain) <= 253
    and domain ~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'
    and domain !~ '\.[0-9]+$'
  ),
  constraint marketplaces_settings_is_an_object check (jsonb_typeof(settings) = 'object'),
  constraint marketplaces_settings_is_without_numbers_of_over_30_digits check (private.has_short_numbers(settings))
);
comment on table public.marketplaces is 'A trading site of a tenant, with its own domain, currency and language.';

alter table public.marketplaces replica identity full;
alter publication supabase_realtime add table public.marketplaces;

-- indexes --------------------------------------------------------------------------------------

create index marketplaces_tenant_id_created_at_idx on public.marketplaces (tenant_id, created_at desc, id);
create index marketplaces_tenant_id_name_idx
  on public.marketplaces (tenant_id, (private.sort_name(name) collate "C"), id);
create index marketplaces_currency_idx on public.marketplaces (currency);

-- functions ------------------------------------------------------------------------------------

create function public.sort_name(marketplace public.marketplaces) returns private.sort_text
language sql immutable
return private.sort_name((marketplace).name);
comment on function public.sort_name(public.marketplaces) is
  'The key for sorting marketplaces by name: .order(''sort_name'').';

create function private.normalise_domain() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.domain := rtrim(lower(new.domain), '.');
  return new;
end
$$;
comment on function private.normalise_domain() is
  'Row trigger: stores a host name in lower case and without a trailing dot.';

create function private.insist_on_keys(value jsonb, field text, allowed text[]) returns void
language plpgsql set search_path = ''
as $$
declare
  key text;
begin
  perform private.insist(jsonb_typeof(value) = 'object', field, 'an object', value);
  for key in select k from jsonb_object_keys(value) as k where k <> all (allowed) loop
    perform private.refuse(
      'VALIDATION_ERROR', format('%s.%s is not known. Use one of: %s.', field, key, array_to_string(allowed, ', ')),
      format('%s.%s', field, key), value -> key
    );
  end loop;
end
$$;
comment on function private.insist_on_keys is 'Refuses a value that is not an object, and unknown keys.';

create function private.is_text(value jsonb, shortest integer, longest integer, pattern text default '') returns boolean
language sql immutable set search_path = ''
as $$
  select jsonb_typeof(value) = 'string'
    and char_length(value #>> '{}') between shortest and longest
    and value #>> '{}' ~ pattern
$$;
comment on function private.is_text is 'Whether a JSON value is a text with a length in a range that matches a pattern.';

create function private.is_name(value jsonb, longest integer) returns boolean
language sql immutable set search_path = ''
as $$
  select private.is_text(value, 1, longest) and private.is_more_than_spaces(value #>> '{}')
$$;
comment on function private.is_name is 'Whether a JSON value is a text with a visible character and at most a maximum length.';

create function private.is_address(value jsonb) returns boolean
language sql immutable set search_path = ''
as $$
  -- Includes the spaces that \s does not match here but does in JavaScript.
  select private.is_text(value, 1, 2048, '^https?://[^\s/?#@]+([/?#]\S*)?$')
    and value #>> '{}' !~ '[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]'
$$;
comment on function private.is_address is 'Whether a JSON value is an address of the web.';

create function private.check_texts(value jsonb, field text, name_pattern text, name_rule text) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist(
    jsonb_typeof(value) = 'object' and (select count(*) from jsonb_object_keys(value)) <= 100,
    field, 'an object of at most 100 entries', value
  );
  for entry in select e.key, e.value from jsonb_each(value) as e loop
    faults := faults || private.fault_unless(
      entry.key ~ name_pattern, format('%s.%s', field, entry.key), 'named with ' || name_rule, entry.value
    );
    faults := faults || private.fault_unless(
      private.is_text(entry.value, 1, 1000), format('%s.%s', field, entry.key), 'a text of 1 to 1000 characters', entry.value
    );
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_texts is 'Refuses a value that is not an object of short texts.';

create function private.check_list(value jsonb, field text, longest integer) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist(
    case when jsonb_typeof(value) = 'array' then jsonb_array_length(value) <= 100 end,
    field, 'a list of at most 100', value
  );
  for entry in
    select e.value, e.position - 1 as index
    from jsonb_array_elements(value) with ordinality as e (value, position)
  loop
    faults := faults || private.fault_unless(
      private.is_text(entry.value, 1, longest), format('%s[%s]', field, entry.index),
      format('a text of 1 to %s characters', longest), entry.value
    );
  end loop;
  perform private.refuse_all(faults);
  perform private.insist(
    (select count(distinct e.value) = count(*) from jsonb_array_elements(value) as e (value)),
    field, 'a list without repetitions', value
  );
end
$$;
comment on function private.check_list is 'Refuses a value that is not a list of different short texts.';

create function private.check_hosts(value jsonb, field text) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.check_list(value, field, 253);
  perform private.insist(jsonb_array_length(value) <= 20, field, 'a list of at most 20', value);
  for entry in
    select e.value, e.position - 1 as index
    from jsonb_array_elements(value) with ordinality as e (value, position)
  loop
    -- The last label of a name is no number, so that the name is no IP address.
    faults := faults || private.fault_unless(
      entry.value #>> '{}' ~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$',
      format('%s[%s]', field, entry.index), 'a host name in lower case, such as images.example.com', entry.value
    );
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_hosts is 'Refuses a value that is not a list of at most 20 different host names.';

create function private.check_branding(branding jsonb) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist_on_keys(
    branding, 'settings.branding', array['logo_url', 'favicon_url', 'colors', 'custom_css', 'hosts']
  );
  for entry in select e.key, e.value from jsonb_each(branding) as e loop
    begin
      case entry.key
        when 'logo_url', 'favicon_url' then
          perform private.insist(
            private.is_address(entry.value), 'settings.branding.' || entry.key, 'an address (https://…)', entry.value
          );
        when 'custom_css' then
          -- It may be inserted between <style> and </style>, so it must not contain the end tag.
          perform private.insist(
            private.is_text(entry.value, 0, 50000) and strpos(entry.value #>> '{}', '</') = 0,
            'settings.branding.custom_css', 'a text of at most 50000 characters without "</"', entry.value
          );
        when 'colors' then
          perform private.check_texts(
            entry.value, 'settings.branding.colors', '^[A-Za-z][A-Za-z0-9_-]{0,49}$', 'up to 50 letters, digits, _ and -'
          );
        when 'hosts' then perform private.check_hosts(entry.value, 'settings.branding.hosts');
      end case;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  for entry in
    select e.key, e.value
    from jsonb_each(case jsonb_typeof(branding -> 'colors') when 'object' then branding -> 'colors' end) as e
  loop
    faults := faults || private.fault_unless(
      private.is_text(entry.value, 7, 7, '^#[0-9A-Fa-f]{6}$'),
      'settings.branding.colors.' || entry.key, 'a color like #1a2b3c', entry.value
    );
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_branding is 'Refuses an invalid branding. Names the field.';

create function private.check_seo(seo jsonb, field text, known text[]) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  longest integer;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist_on_keys(seo, field, known);
  for entry in select e.key, e.value, format('%s.%s', check_seo.field, e.key) as field from jsonb_each(seo) as e loop
    begin
      case entry.key
        when 'title', 'description' then
          longest := case entry.key when 'title' then 200 else 1000 end;
          perform private.insist(
            private.is_text(entry.value, 0, longest), entry.field,
            format('a text of at most %s characters', longest), entry.value
          );
        when 'keywords' then
          perform private.check_list(entry.value, entry.field, 100);
        when 'canonical_url' then
          perform private.insist(private.is_address(entry.value), entry.field, 'an address (https://…)', entry.value);
        when 'schema_markup' then
          perform private.insist(
            jsonb_typeof(entry.value) = 'object' and octet_length(entry.value::text) <= 20000
              and private.has_short_numbers(entry.value),
            entry.field, 'an object of at most 20,000 bytes', entry.value
          );
        else
          perform private.check_texts(
            entry.value, entry.field, '^[A-Za-z][A-Za-z0-9:._-]{0,99}$', 'up to 100 letters, digits, :, ., _ and -'
          );
      end case;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_seo is 'Refuses SEO data with unknown keys or invalid values. Names the field.';

create function private.check_delivery(delivery jsonb, currency text) returns void
language plpgsql set search_path = ''
as $$
declare
  exponent smallint := (select c.exponent from private.currencies c where c.code = check_delivery.currency);
  methods jsonb;
  method record;
  amount text;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist_on_keys(delivery, 'settings.business.delivery', array['methods', 'recipient']);
  perform private.insist(
    not delivery ? 'recipient' or delivery ->> 'recipient' = any (enum_range(null::public.delivery_recipient)::text[]),
    'settings.business.delivery.recipient', 'operator or supplier', delivery -> 'recipient'
  );
  methods := coalesce(delivery -> 'methods', '[]');
  perform private.insist(
    case when jsonb_typeof(methods) = 'array' then jsonb_array_length(methods) <= 100 end,
    'settings.business.delivery.methods', 'a list of at most 100', methods
  );
  for method in
    select e.value, format('settings.business.delivery.methods[%s]', e.position - 1) as field
    from jsonb_array_elements(methods) with ordinality as e (value, position)
  loop
    perform private.insist_on_keys(
      method.value, method.field, array['key', 'name', 'price', 'per_supplier', 'free_from']
    );
    faults := faults || private.fault_unless(
      private.is_text(method.value -> 'key', 1, 50, '^[a-z0-9][a-z0-9_-]*$'), method.field || '.key',
      'up to 50 lower-case letters, digits, _ and -', method.value -> 'key'
    );
    faults := faults || private.fault_unless(
      private.is_name(method.value -> 'name', 200), method.field || '.name', 'a text of 1 to 200 characters, one of them visible',
      method.value -> 'name'
    );
    faults := faults || private.fault_unless(
      not method.value ? 'per_supplier' or jsonb_typeof(method.value -> 'per_supplier') = 'boolean',
      method.field || '.per_supplier', 'true or false', method.value -> 'per_supplier'
    );
    foreach amount in array array['price', 'free_from'] loop
      continue when amount = 'free_from' and not method.value ? amount;
      faults := faults || private.fault_unless(
        case
          when jsonb_typeof(method.value -> amount) = 'number' then
            (method.value ->> amount)::numeric between 0 and 999999999999
            and scale(trim_scale((method.value ->> amount)::numeric)) <= exponent
        end,
        format('%s.%s', method.field, amount), format('a number of at least 0 with at most %s decimals', exponent),
        method.value -> amount
      );
    end loop;
  end loop;
  perform private.refuse_all(faults);
  perform private.insist(
    (select count(distinct m.value ->> 'key') = count(*) from jsonb_array_elements(methods) as m (value)),
    'settings.business.delivery.methods', 'a list in which every key is different', methods
  );
end
$$;
comment on function private.check_delivery is 'Refuses invalid delivery settings. Names the field.';

create function private.insist_on_whole_number(value jsonb, field text, low integer, high integer) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.insist(
    case
      when jsonb_typeof(value) = 'number' then
        (value #>> '{}')::numeric between low and high
        and scale(trim_scale((value #>> '{}')::numeric)) = 0
    end,
    field, format('a whole number from %s to %s', low, high), value
  );
end
$$;
comment on function private.insist_on_whole_number is 'Refuses a value that is not a whole number within a range. Names the field.';

create function private.check_business(business jsonb, currency text) returns void
language plpgsql set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist_on_keys(
    business, 'settings.business',
    array[
      'commission_percent', 'payment_methods', 'payment_deadline_minutes', 'delivery', 'guest_checkout', 'ship_unpaid',
      'delivered_after_days', 'return_days', 'payout_delay_days', 'commission_on_delivery', 'max_unpaid_orders',
      'max_unpaid_pieces', 'reply_to', 'country'
    ]
  );
  for entry in select e.key, e.value, 'settings.business.' || e.key as field from jsonb_each(business) as e loop
    begin
      case entry.key
        when 'commission_percent' then
          perform private.insist(
            case
              when jsonb_typeof(entry.value) = 'number' then
                (entry.value #>> '{}')::numeric between 0 and 100
                and scale(trim_scale((entry.value #>> '{}')::numeric)) <= 4
            end,
            entry.field, 'a number from 0 to 100 with at most 4 decimals', entry.value
          );
        when 'payment_deadline_minutes' then
          perform private.insist_on_whole_number(entry.value, entry.field, 5, 43200);
        when 'delivered_after_days', 'return_days' then
          perform private.insist_on_whole_number(entry.value, entry.field, 1, 365);
        when 'payout_delay_days' then
          perform private.insist_on_whole_number(entry.value, entry.field, 0, 365);
        when 'max_unpaid_orders', 'max_unpaid_pieces' then
          perform private.insist_on_whole_number(entry.value, entry.field, 1, 1000000);
        when 'reply_to' then
          perform private.insist(
            jsonb_typeof(entry.value) = 'string' and private.is_email(entry.value #>> '{}'),
            entry.field, 'an e-mail address in lower case', entry.value
          );
        when 'country' then
          perform private.insist(
            private.is_country(entry.value), entry.field, 'the code of a country by ISO 3166-1, such as DE', entry.value
          );
        when 'payment_methods' then
          perform private.check_list(entry.value, entry.field, 50);
        when 'delivery' then
          perform private.check_delivery(entry.value, currency);
        when 'guest_checkout', 'ship_unpaid', 'commission_on_delivery' then
          perform private.insist(jsonb_typeof(entry.value) = 'boolean', entry.field, 'true or false', entry.value);
      end case;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_business is 'Refuses invalid business settings. Names the field.';

create function private.check_settings() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  entry record;
  faults jsonb := '[]'::jsonb;
  code text;
  reason text;
  detail text;
begin
  perform private.insist(
    exists (select 1 from private.currencies c where c.code = new.currency), 'currency', 'an ISO 4217 code',
    to_jsonb(new.currency)
  );
  -- The rest of the record is a description, at most 60 kB as JSON, and short texts.
  perform private.bound_record(octet_length(new.settings::text), 0.9, 'These settings are too large.', 'settings');
  perform private.insist_on_keys(new.settings, 'settings', array['branding', 'seo', 'business']);
  for entry in select e.key, e.value from jsonb_each(new.settings) as e order by e.key loop
    begin
      case entry.key
        when 'branding' then perform private.check_branding(entry.value);
        when 'business' then perform private.check_business(entry.value, new.currency);
        else
          perform private.check_seo(
            entry.value, 'settings.seo',
            array['title', 'description', 'keywords', 'canonical_url', 'meta_tags', 'og_tags']
          );
      end case;
    exception
      when sqlstate 'PT422' then
        get stacked diagnostics code = message_text, reason = pg_exception_hint, detail = pg_exception_detail;
        faults := faults || private.faults_in(code, reason, detail);
    end;
  end loop;
  perform private.refuse_all(faults);
  return new;
end
$$;
comment on function private.check_settings() is
  'Row trigger: refuses invalid settings with VALIDATION_ERROR. Names the field, such as settings.business.commission_percent.';

create function public.create_marketplace(
  name text,
  category text,
  currency text,
  language text,
  domain text,
  description text default '',
  settings jsonb default '{}'
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created public.marketplaces;
begin
  insert into public.marketplaces (name, description, category, currency, language, domain, settings)
  values (
    create_marketplace.name, create_marketplace.description, create_marketplace.category,
    create_marketplace.currency, create_marketplace.language, create_marketplace.domain,
    create_marketplace.settings
  )
  returning * into created;
  return to_jsonb(created);
end
$$;
comment on function public.create_marketplace is
  'For admins: creates a marketplace as a draft and returns its whole record.';

create function public.change_marketplace(marketplace_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  changed public.marketplaces;
begin
  update public.marketplaces m
  set name = coalesce(changes ->> 'name', m.name),
      description = coalesce(changes ->> 'description', m.description),
      category = coalesce(changes ->> 'category', m.category),
      currency = coalesce(changes ->> 'currency', m.currency),
      language = coalesce(changes ->> 'language', m.language),
      domain = coalesce(changes ->> 'domain', m.domain),
      status = coalesce((changes ->> 'status')::public.marketplace_status, m.status),
      settings = case
        when changes ? 'settings' then private.merged_settings(m.settings, changes -> 'settings') else m.settings
      end
  where m.id = change_marketplace.marketplace_id and private.is_unchanged(m.updated_at, changes)
  returning m.* into changed;
  if changed.id is null then
    if exists (select 1 from public.marketplaces m where m.id = change_marketplace.marketplace_id) then
      perform private.refuse_outdated('marketplace', changes);
    end if;
    perform private.refuse('NOT_FOUND', 'There is no such marketplace.');
  end if;
  return to_jsonb(changed);
exception
  -- References to a marketplace include its currency.
  when foreign_key_violation then
    perform private.refuse(
      'CONFLICT', 'The currency cannot change, because the marketplace has products or orders.',
      'currency', changes -> 'currency'
    );
    return null;
end
$$;
comment on function public.change_marketplace is
  'For admins: changes the fields that are sent, and of settings the fields of groups (branding, seo, business) that are sent, where null removes one, and returns the whole record. Refuses with CONFLICT if updated_at is sent and differs from the marketplace''s, and with INVALID_TRANSITION, CONFLICT, VALIDATION_ERROR, NOT_FOUND.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.marketplaces
  for each row execute function private.keep_nfc();

create trigger marketplaces_are_changed_by_admins
  before insert or update or delete on public.marketplaces
  for each statement execute function private.only_for('admin');

create trigger marketplaces_normalise_domain
  before insert or update of domain on public.marketplaces
  for each row execute function private.normalise_domain();

create trigger marketplaces_check_settings
  before insert or update of settings, currency on public.marketplaces
  for each row execute function private.check_settings();

create trigger marketplaces_check_status_move
  before update of status on public.marketplaces
  for each row execute function private.check_status_move();

create trigger marketplaces_touch
  before update on public.marketplaces
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table private.currencies enable row level security;
alter table public.marketplaces enable row level security;

create policy "Admins, clients and suppliers see all marketplaces, customers the active ones" on public.marketplaces
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'customer' then status = 'active'
      when 'supplier' then true
      else (select private.reads_all())
    end
  );

create policy "Admins create marketplaces" on public.marketplaces
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins change marketplaces" on public.marketplaces
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin')
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

-- grants ---------------------------------------------------------------------------------------

grant select on public.marketplaces to authenticated;
grant insert (name, description, category, currency, language, domain, settings)
  on public.marketplaces to authenticated;
grant update (name, description, category, currency, language, domain, status, settings)
  on public.marketplaces to authenticated;
grant all on public.marketplaces to service_role;
grant execute on function private.is_text, private.is_name to authenticated, service_role;
grant execute on function public.create_marketplace, public.change_marketplace to authenticated;
grant execute on function public.sort_name(public.marketplaces) to authenticated, service_role;

-- supabase/schemas/visitors/0305_visitors.sql

-- Visitors: requests with the project's public key and without a user's token. They name the marketplace that they
-- visit in a header, and read what everybody may see there. What that is, the last file of visitors lists.

-- functions ------------------------------------------------------------------------------------

create function private.open_marketplace(id_or_domain text) returns public.marketplaces
-- A session caches a plan. A plan from when there were few marketplaces would scan the table: 409 pages instead of 5
-- with 20,000 marketplaces.
language plpgsql stable security definer set search_path = '' set enable_seqscan = off
as $$
declare
  site public.marketplaces;
begin
  -- A domain is never a UUID, because it has a dot.
  if private.is_uuid(id_or_domain) then
    select m.* into site from public.marketplaces m where m.id = id_or_domain::uuid;
  else
    select m.* into site from public.marketplaces m where m.domain = rtrim(lower(id_or_domain), '.');
  end if;
  return case when site.status = 'active' then site end;
end
$$;
comment on function private.open_marketplace is
  'The active marketplace with an id or a domain; null if there is none.';

create function private.marketplace_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  if private.is_visit() then
    return (private.open_marketplace(private.request_header('x-souk-marketplace'))).id;
  end if;
  return null;
end
$$;
comment on function private.marketplace_id() is
  'The marketplace that a visitor visits: the active one whose domain or id is in the header x-souk-marketplace. Null for members, and without such a marketplace.';

create function private.is_counted() returns boolean
language sql stable security definer set search_path = ''
as $$
  select private.request_header('x-souk-counted') = encode(k.key, 'hex')
  from private.signing_keys k
  where k.name = 'functions'
$$;
comment on function private.is_counted() is 'Whether a request comes from a function, which has already counted it.';

create function private.reads_as_customer() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(current_setting('souk.rights', true) = 'customer', false)
    or coalesce(private.request_header('x-souk-rights') = 'customer' and private.is_counted(), false);
end
$$;
comment on function private.reads_as_customer() is
  'Whether the request reads for a page that somebody else has written: a function sent the header x-souk-rights, or the transaction has set souk.rights. Then the caller has the rights of a customer only, whatever its roles.';

create function private.sent_visitor_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
declare
  sent text := private.request_header('x-souk-visitor');
begin
  if not private.is_uuid(sent) or exists (select from auth.users u where u.id = sent::uuid) then
    return null;
  end if;
  return sent::uuid;
end
$$;
comment on function private.sent_visitor_id() is
  'The random id that a shop gave to a visitor who consented: the header x-souk-visitor. A customer who orders has the one from before the sign-in. Null without consent, and if it is the id of a user: nobody clicks or orders as somebody else.';

create function private.visitor_id() returns uuid
language plpgsql stable set search_path = ''
as $$
begin
  return case when private.is_visit() then private.sent_visitor_id() end;
end
$$;
comment on function private.visitor_id() is 'The id of a visitor who consented; null for members.';

create function private.viewer_id() returns uuid
language plpgsql stable set search_path = ''
as $$
begin
  return coalesce(auth.uid(), private.visitor_id());
end
$$;
comment on function private.viewer_id() is
  'The reader to whom promotions are shown and who clicks on them: the user, or the visitor''s random id. Null for a visitor without one.';

create function private.is_of_visit(marketplace_id uuid) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  return not private.is_visit() or marketplace_id = private.marketplace_id();
end
$$;
comment on function private.is_of_visit is
  'Whether a record of a marketplace may be shown to the caller: to a visitor only on the marketplace that it visits. It makes no rule for members.';

create function private.active_marketplace_ids() returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant constant uuid := private.tenant_id();
begin
  if private.is_visit() then
    return array_remove(array[private.marketplace_id()], null);
  end if;
  return array(select m.id from public.marketplaces m where m.tenant_id = tenant and m.status = 'active');
end
$$;
comment on function private.active_marketplace_ids() is
  'The active marketplaces of the caller''s tenant; for a visitor the one that it visits.';

create function private.currencies_in_use() returns text[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  shown constant uuid[] := private.active_marketplace_ids();
begin
  return array(
    select m.currency
    from public.marketplaces m
    where m.id = any (shown)
    group by m.currency
    order by min(m.created_at), m.currency
  );
end
$$;
comment on function private.currencies_in_use() is
  'The currencies of private.active_marketplace_ids(), without duplicates, the oldest marketplace''s first.';

create function private.marketplaces_asked(marketplace_id uuid, currency text) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
begin
  if marketplaces_asked.currency is null then
    return case when marketplaces_asked.marketplace_id is not null then array[marketplaces_asked.marketplace_id] end;
  end if;
  return array(
    select m.id
    from public.marketplaces m
    where m.tenant_id = private.tenant_id()
      and m.currency = marketplaces_asked.currency
      and (marketplaces_asked.marketplace_id is null or m.id = marketplaces_asked.marketplace_id)
  );
end
$$;
comment on function private.marketplaces_asked is
  'The marketplaces of the caller''s tenant that a list is filtered by: one, those with a currency, or both conditions; null without a filter.';

create function private.check_one_currency(marketplace_id uuid, currency text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if marketplace_id is null and currency is null and cardinality(private.currencies_in_use()) > 1 then
    perform private.refuse(
      'VALIDATION_ERROR',
      'currency or marketplace_id must be sent: prices in several currencies cannot be compared.', 'currency', 'null'
    );
  end if;
end
$$;
comment on function private.check_one_currency is
  'Refuses with VALIDATION_ERROR to compare prices if the tenant has several currencies and the request names none.';

create function private.sole_marketplace_id() returns uuid
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    private.marketplace_id(),
    (
      select (array_agg(m.id))[1]
      from public.marketplaces m
      where m.tenant_id = private.tenant_id()
      having count(*) = 1
    )
  );
end
$$;
comment on function private.sole_marketplace_id() is
  'The default marketplace: the one that a visitor visits, or the tenant''s only one. Null if there are several or none.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.marketplace_id(), private.visitor_id(), private.viewer_id(), private.active_marketplace_ids(),
  private.currencies_in_use(), private.marketplaces_asked, private.check_one_currency, private.sole_marketplace_id()
to authenticated, service_role;

-- supabase/schemas/visitors/0307_rest_requests.sql

-- What runs before each request to the REST interface, also before those of the functions.

-- functions ------------------------------------------------------------------------------------

create function private.check_rest_request() returns void
language plpgsql stable security definer set search_path = ''
as $$
declare
  place text := private.request_header('x-souk-marketplace');
begin
  -- The text of the headers, because a header may be sent twice, and the value of the JSON is only one of them.
  if current_setting('role', true) is distinct from 'service_role'
    and current_setting('request.headers', true) ~ '"prefer": *"([^"\\]|\\.)*count *= *(planned|estimated)'
  then
    perform private.refuse(
      'VALIDATION_ERROR', 'Prefer must not ask for a planned or estimated count. Ask for count=exact.', 'Prefer'
    );
  end if;
  if place is not null and private.is_visit() and private.marketplace_id() is null then
    perform private.refuse(
      'NOT_FOUND', 'There is no active marketplace with this id or domain.', 'x-souk-marketplace', to_jsonb(place)
    );
  end if;
end
$$;
comment on function private.check_rest_request() is
  'Runs before each request to /rest/v1. Refuses with VALIDATION_ERROR a planned or estimated count, which tells the planner''s estimate for rows that row-level security hides, and with NOT_FOUND a visit to a marketplace that is not there.';

create function private.count_rest_request() returns void
language plpgsql security definer set search_path = ''
as $$
declare
  caller uuid := auth.uid();
  this_minute timestamptz := private.this_minute();
  resets_in text := ceil(extract(epoch from this_minute + interval '1 minute' - now()))::text;
  allowed integer;
  counted bigint;
begin
  perform private.check_rest_request();
  if current_setting('role', true) is distinct from 'authenticated' or caller is null or private.is_counted() then
    return;
  end if;
  select coalesce(own.requests_per_minute, others.requests_per_minute) into allowed
  from private.rate_limits others
  left join private.rate_limits own on own.kind = private.tenant_role()::text
  where others.kind = 'customer';
  counted := (select count(*) from private.rest_requests r where r.user_id = caller and r.made_at >= this_minute)
    + coalesce(
      (select c.count from private.request_counts c where c.subject = 'user:' || caller and c.minute = this_minute), 0
    );
  if counted >= allowed then
    -- PostgREST turns this into a response like our refusals, with a header.
    raise sqlstate 'PGRST' using
      message = json_build_object(
        'code', 'PT429', 'message', 'RATE_LIMITED', 'details', '{}', 'hint', 'Too many requests. Try again later.'
      )::text,
      detail = json_build_object(
        'status', 429, 'headers', json_build_object(
          'Retry-After', resets_in, 'RateLimit-Limit', allowed::text, 'RateLimit-Remaining', '0',
          'RateLimit-Reset', resets_in
        )
      )::text;
  end if;
  -- A read-only transaction cannot count.
  if current_setting('transaction_read_only') = 'off' then
    insert into private.rest_requests (user_id, made_at) values (caller, now());
  end if;
end
$$;
comment on function private.count_rest_request() is
  'Runs before each request to /rest/v1 instead of check_rest_request, which it calls, if limit_rest has switched it on. Refuses with RATE_LIMITED a caller whose minute is used up, including requests to the functions. Counts requests that write or call a function that may write. A later refusal undoes the count.';

create function private.limit_rest(enabled boolean) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  execute format(
    'alter role authenticator in database %I set pgrst.db_pre_request = %L',
    current_database(), case when enabled then 'private.count_rest_request' else 'private.check_rest_request' end
  );
  notify pgrst, 'reload config';
end
$$;
comment on function private.limit_rest is 'See public.limit_rest.';

create function public.limit_rest(enabled boolean) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.limit_rest(enabled);
end
$$;
comment on function public.limit_rest is
  'For the operator: whether requests to /rest/v1 are counted with those of the functions. Off by default, because it costs each request a statement, and reads cannot be counted there.';

-- grants ---------------------------------------------------------------------------------------

-- They run as the role of the request. These roles need execute, or their requests would be refused.
grant execute on function private.check_rest_request() to anon, authenticated, service_role;
grant execute on function private.count_rest_request() to anon, authenticated, service_role;
grant execute on function private.limit_rest, public.limit_rest to service_role;

-- settings -------------------------------------------------------------------------------------

select private.limit_rest(false);

-- supabase/schemas/visitors/0310_guests.sql

-- Guests: an order needs an account, which a visitor of a shop has not. So a shop signs a visitor who orders in as an
-- anonymous user of Supabase Auth. In the transaction that creates the user, the database makes it a customer of the
-- marketplace's tenant. The marketplace is in the user's
-- metadata, so `/auth/guest` and `signInAnonymously({ options: { data: { marketplace } } })` work alike. A guest who
-- registers stays the same user with the same orders.

-- tables ---------------------------------------------------------------------------------------

create unlogged table private.guest_counts (
  address text primary key,
  opened_at timestamptz[] not null
);
comment on table private.guest_counts is
  'The times at which guests of an IP address were created within an hour, oldest first. Unlogged: lost in a crash.';

create table private.guest_registrations (
  user_id uuid primary key references auth.users (id) on delete cascade,
  begun_at timestamptz not null default now()
);
comment on table private.guest_registrations is
  'The guests that /auth/register is registering now, so that none is registered twice. A row older than a minute is from a request that crashed.';

-- functions ------------------------------------------------------------------------------------

create function private.allows_guest_checkout(settings jsonb) returns boolean
language sql immutable
return coalesce((settings #>> '{business,guest_checkout}')::boolean, true);
comment on function private.allows_guest_checkout is 'Whether guests may order on a marketplace with these settings.';

create function private.storefront_of(site public.marketplaces) returns jsonb
language sql immutable set search_path = ''
as $$
  select jsonb_build_object(
    'id', site.id, 'tenant_id', site.tenant_id, 'name', site.name, 'description', site.description,
    'category', site.category, 'currency', site.currency, 'language', site.language,
    'languages', jsonb_build_array(site.language), 'domain', site.domain,
    'branding', coalesce(site.settings -> 'branding', '{}'), 'seo', coalesce(site.settings -> 'seo', '{}'),
    'guest_checkout', private.allows_guest_checkout(site.settings), 'country', site.settings #>> '{business,country}'
  )
$$;
comment on function private.storefront_of is 'The public data of a marketplace.';

create function private.storefront(domain text) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  site public.marketplaces := private.open_marketplace(storefront.domain);
begin
  -- An id is not accepted as a domain.
  if site.id is null or private.is_uuid(storefront.domain) then
    perform private.refuse(
      'NOT_FOUND', 'No active marketplace has this domain.', 'domain', to_jsonb(storefront.domain)
    );
  end if;
  return private.storefront_of(site);
end
$$;
comment on function private.storefront is 'See public.storefront.';

create function public.storefront(domain text) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.storefront(domain);
end
$$;
comment on function public.storefront is
  'The public data of the active marketplace at a domain. For everybody, signed in or not. Refuses with NOT_FOUND.';

create function private.visited_storefront(marketplace_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select private.storefront_of(m)
    from public.marketplaces m
    where m.id = visited_storefront.marketplace_id and m.id = private.marketplace_id()
  );
end
$$;
comment on function private.visited_storefront is
  'The public data of a marketplace if it is the one that a visitor visits; otherwise null.';

create function private.checkout_marketplace(marketplace_id uuid) returns public.marketplaces
language plpgsql stable security definer set search_path = ''
as $$
declare
  wanted constant uuid := coalesce(marketplace_id, private.sole_marketplace_id());
  site public.marketplaces;
begin
  if wanted is null then
    perform private.refuse(
      'VALIDATION_ERROR', 'marketplace_id is required: the tenant has several marketplaces.', 'marketplace_id', 'null'
    );
  end if;
  select m.* into site
  from public.marketplaces m
  where m.tenant_id = private.tenant_id() and m.id = wanted and private.is_of_visit(m.id)
    and (m.status = 'active' or private.tenant_role() is distinct from 'customer');
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(wanted));
  end if;
  return site;
end
$$;
comment on function private.checkout_marketplace is
  'The marketplace in which the caller orders: by default the one that a visitor visits, or the tenant''s only one. Refuses with NOT_FOUND, VALIDATION_ERROR.';

create function private.delivery_methods(marketplace_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object(
    'delivery_methods',
    coalesce((private.checkout_marketplace(marketplace_id)).settings #> '{business,delivery,methods}', '[]')
  );
end
$$;
comment on function private.delivery_methods is 'See public.list_delivery_methods.';

create function public.list_delivery_methods(marketplace_id uuid default null) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  return private.delivery_methods(marketplace_id);
end
$$;
comment on function public.list_delivery_methods is
  'The delivery methods of a marketplace: {delivery_methods: [{key, name, price, per_supplier, free_from}]}. marketplace_id: by default the one that a visitor visits, or the tenant''s only one. Refuses with NOT_FOUND, VALIDATION_ERROR.';

create function private.payment_methods(marketplace_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object(
    'payment_methods',
    coalesce((private.checkout_marketplace(marketplace_id)).settings #> '{business,payment_methods}', '[]')
  );
end
$$;
comment on function private.payment_methods is 'See public.list_payment_methods.';

create function public.list_payment_methods(marketplace_id uuid default null) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  return private.payment_methods(marketplace_id);
end
$$;
comment on function public.list_payment_methods is
  'The payment methods that a marketplace accepts: {payment_methods: [name]}. marketplace_id: by default the one that a visitor visits, or the tenant''s only one. Refuses with NOT_FOUND, VALIDATION_ERROR.';

create function private.guest_problem(request jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return case
    when request ?| array['tenant_name', 'tenant_id', 'invitation', 'role'] or request ->> 'marketplace' is null
      then private.problem(
        422, 'marketplace', 'marketplace must be the id or domain of a marketplace. A guest must not send tenant, invitation or role.'
      )
    when (private.open_marketplace(request ->> 'marketplace')).id is null
      then private.problem(404, 'marketplace', 'There is no active marketplace with this id or domain.')
  end;
end
$$;
comment on function private.guest_problem is
  'The reason why the request of a guest, {marketplace}, cannot be carried out; null if it can.';

create function private.before_user_created_hook(event jsonb) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_strip_nulls(
    jsonb_build_object(
      'error',
      case
        when (event #>> '{user,is_anonymous}')::boolean then private.guest_problem(event #> '{user,user_metadata}')
        else private.join_problem(event #> '{user,user_metadata}', event #>> '{user,email}')
      end - 'field'
    )
  )
$$;
comment on function private.before_user_created_hook is
  'Auth hook: refuses an invalid registration or guest, with a status and a reason.';

create function private.join_as_guest() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  request jsonb := coalesce(new.raw_user_meta_data, '{}');
  problem jsonb := private.guest_problem(request);
begin
  -- The hook may not be configured, so the check is repeated here.
  if problem is not null then
    perform private.refuse_problem(problem, coalesce(request -> (problem ->> 'field'), 'null'));
  end if;
  perform private.join_as((private.open_marketplace(request ->> 'marketplace')).tenant_id, new.id, 'customer', null, '');
  return null;
end
$$;
comment on function private.join_as_guest() is
  'Row trigger: makes a new anonymous user a customer of the marketplace''s tenant.';

create function public.admit_guest(marketplace text, address text) returns integer
language plpgsql set search_path = ''
as $$
declare
  problem jsonb := private.guest_problem(jsonb_build_object('marketplace', marketplace));
  allowed integer := private.cap('guests_per_hour');
  opened timestamptz[];
begin
  if problem is not null then
    perform private.refuse_problem(problem, to_jsonb(marketplace));
  end if;
  -- The insert locks the row, so requests of one IP address are counted one after another.
  insert into private.guest_counts as c (address, opened_at)
  values (admit_guest.address, '{}')
  on conflict on constraint guest_counts_pkey do update
  set opened_at = array(select o.at from unnest(c.opened_at) as o (at) where o.at > now() - interval '1 hour')
  returning c.opened_at into opened;
  if cardinality(opened) >= allowed then
    return ceil(extract(epoch from opened[cardinality(opened) - allowed + 1] + interval '1 hour' - now()));
  end if;
  update private.guest_counts c set opened_at = opened || now() where c.address = admit_guest.address;
  return 0;
end
$$;
comment on function public.admit_guest is
  'For /auth/guest: counts a guest of an IP address. Returns 0, or the seconds to wait if the address has reached its limit of the last hour; then the guest is not counted. Refuses with NOT_FOUND without such an active marketplace.';

create function private.begin_guest_registration(user_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into private.guest_registrations as r (user_id)
  values (begin_guest_registration.user_id)
  on conflict on constraint guest_registrations_pkey do update set begun_at = now()
  where r.begun_at < now() - interval '1 minute';
  if not found then
    perform private.refuse_for_now('Another request is registering this guest. Try again.');
  end if;
  -- A statement of its own, so that it sees the changes of the request that held the row before.
  if not exists (select from auth.users u where u.id = begin_guest_registration.user_id and u.is_anonymous) then
    perform private.refuse('CONFLICT', 'This guest has already registered. Log in.');
  end if;
end
$$;
comment on function private.begin_guest_registration is 'See public.begin_guest_registration.';

create function public.begin_guest_registration(user_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.begin_guest_registration(user_id);
end
$$;
comment on function public.begin_guest_registration is
  'For /auth/register: claims a guest for one request, until end_guest_registration or for a minute. Refuses with CONFLICT while another request has the claim, and if the guest has registered.';

create function public.end_guest_registration(user_id uuid) returns void
language sql set search_path = ''
as $$
  delete from private.guest_registrations r where r.user_id = end_guest_registration.user_id
$$;
comment on function public.end_guest_registration is 'For /auth/register: releases the claim of begin_guest_registration.';

-- triggers -------------------------------------------------------------------------------------

create trigger a_new_guest_joins_the_tenant
  after insert on auth.users
  for each row when (new.is_anonymous)
  execute function private.join_as_guest();

-- policies -------------------------------------------------------------------------------------

alter table private.guest_counts enable row level security;
alter table private.guest_registrations enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.before_user_created_hook to supabase_auth_admin;
grant execute on function private.allows_guest_checkout, private.storefront_of to authenticated, service_role;
grant usage on schema private to anon;
grant execute on function private.storefront, public.storefront to anon, authenticated;
grant execute on function
  private.delivery_methods, public.list_delivery_methods, private.payment_methods, public.list_payment_methods
to authenticated;

grant select, insert, update on private.guest_counts to service_role;
grant select, delete on private.guest_registrations to service_role;
grant execute on function private.guest_problem, private.begin_guest_registration to service_role;
grant execute on function
  public.admit_guest, public.begin_guest_registration, public.end_guest_registration
to service_role;

-- supabase/schemas/marketplaces/0320_supplier_legal.sql

-- The legal identity of a supplier. Shops must show it, and each order keeps a copy.

-- functions ------------------------------------------------------------------------------------

create function private.check_supplier_legal() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.insist_on_keys(new.legal, 'legal', array['name', 'address', 'tax_id']);
  perform private.insist(
    private.is_name(new.legal -> known.key, known.longest),
    'legal.' || known.key, format('a text of 1 to %s characters, one of them visible', known.longest),
    new.legal -> known.key
  )
  from (values ('name', 200), ('address', 1000), ('tax_id', 50)) as known (key, longest)
  where new.legal ? known.key;
  return new;
end
$$;
comment on function private.check_supplier_legal() is
  'Row trigger: refuses with VALIDATION_ERROR an invalid legal identity; it must be {name, address, tax_id}. Names the field.';

-- triggers -------------------------------------------------------------------------------------

create trigger suppliers_check_legal
  before insert or update of legal on public.suppliers
  for each row execute function private.check_supplier_legal();

-- supabase/schemas/media/0350_media.sql

-- Media: images, videos, documents and 3D models. Supabase Storage keeps the bytes; these tables keep the records.
--
--   bucket      access    content
--   uploads     private   every upload arrives here; members cannot read it
--   media       public    checked files, for everybody who has the address
--   documents   private   checked files, by signed addresses that expire
--
-- An asset is created before its bytes arrive. The function `api` checks the bytes in `uploads`, copies them to a new
-- path and makes the asset point there. A worker deletes bytes that nothing points at, through Storage's API: the
-- transaction that gives a path up adds it to media_sweeps. A crash at any moment leaves the old bytes or the new ones,
-- and some bytes that are deleted later.

create extension if not exists pg_trgm with schema extensions;

create type public.media_type as enum ('image', 'video', 'document', 'model_3d');
create type public.media_status as enum ('uploading', 'ready');

-- tables ---------------------------------------------------------------------------------------

create table private.media_types (
  content_type text primary key,
  type public.media_type not null,
  extension text not null
);
comment on table private.media_types is
  'The content types that the library takes. SVG and HTML are not among them, because they can hold programs.';

create table private.media_settings (
  only_one boolean primary key default true,
  transformations boolean not null default true,
  address text,
  constraint media_settings_only_one_is_true check (only_one),
  constraint media_settings_address_is_a_url check (address ~ '^https?://.*[^/]$')
);
comment on table private.media_settings is
  'transformations: whether the project''s Storage makes smaller versions of images. That is a feature of paid plans. address: where browsers reach Storage; null until the first upload is complete.';

create table public.media_folders (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  parent_id uuid,
  name text not null,
  created_at timestamptz not null default now(),
  constraint media_folders_tenant_id_id_key unique (tenant_id, id),
  constraint name_is_unique_in_media_folders unique nulls not distinct (tenant_id, parent_id, name),
  -- Cascades only when the tenant is deleted: check_folder_is_empty refuses to delete a folder that is not empty.
  constraint media_folders_parent_id_fkey foreign key (tenant_id, parent_id)
    references public.media_folders (tenant_id, id) on delete cascade,
  constraint media_folders_name_is_1_to_100_characters check (char_length(name) between 1 and 100),
  constraint media_folders_name_is_more_than_spaces check (private.is_more_than_spaces(name))
);
comment on table public.media_folders is 'The folders of a tenant''s media library. A folder may be in another one.';
alter table public.media_folders replica identity using index media_folders_tenant_id_id_key;

create table public.media_assets (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  uploaded_by uuid references auth.users (id) on delete set null,
  supplier_id uuid,
  filename text not null,
  type public.media_type not null,
  content_type text not null references private.media_types (content_type),
  size bigint not null,
  width integer,
  height integer,
  alt_text text not null default '',
  alt_texts jsonb not null default '{}',
  focal_point jsonb,
  tags text[] not null default '{}',
  folder_id uuid,
  private boolean not null default false,
  status public.media_status not null default 'uploading',
  bucket text,
  path text,
  cleaned boolean not null default false,
  resizable boolean not null default true,
  upload_date timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint media_assets_tenant_id_id_key unique (tenant_id, id),
  constraint path_is_unique_in_media_assets unique (bucket, path),
  constraint media_assets_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade,
  constraint media_assets_folder_id_fkey foreign key (tenant_id, folder_id)
    references public.media_folders (tenant_id, id) on delete set null (folder_id),
  constraint media_assets_filename_is_1_to_255_characters check (char_length(filename) between 1 and 255),
  constraint media_assets_filename_is_a_name_without_slashes check (filename !~ '[/\\[:cntrl:]]'),
  constraint media_assets_size_is_positive check (size > 0),
  constraint media_assets_alt_text_is_at_most_500_characters check (char_length(alt_text) <= 500),
  constraint media_assets_path_is_set_when_it_is_ready
    check (
      (status = 'ready') = (path is not null) and (path is null) = (bucket is null)
    ),
  constraint media_assets_width_is_set_with_the_height check ((width is null) = (height is null))
);
comment on table public.media_assets is
  'The assets of a tenant''s media library. size: as announced until the asset is ready. bucket, path: where the bytes are in Storage. cleaned: whether the bytes are an image without metadata, made by Souk. resizable: whether smaller versions of an image show what it shows; of one that moves they would stand still.';
alter table public.media_assets replica identity using index media_assets_tenant_id_id_key;

create table private.media_uploads (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  asset_id uuid not null,
  path text not null,
  filename text not null,
  content_type text not null references private.media_types (content_type),
  size bigint not null,
  created_at timestamptz not null default now(),
  constraint media_uploads_asset_id_fkey foreign key (tenant_id, asset_id)
    references public.media_assets (tenant_id, id) on delete cascade,
  constraint media_uploads_asset_id_key unique (tenant_id, asset_id),
  constraint path_is_unique_in_media_uploads unique (path),
  constraint media_uploads_filename_is_1_to_255_characters check (char_length(filename) between 1 and 255),
  constraint media_uploads_filename_is_a_name_without_slashes check (filename !~ '[/\\[:cntrl:]]'),
  constraint media_uploads_size_is_positive check (size > 0)
);
comment on table private.media_uploads is
  'The uploads that are not completed yet: the path in the bucket uploads, and the announced name, type and size.';
alter table private.media_uploads replica identity using index media_uploads_asset_id_key;

create table private.media_usage (
  tenant_id uuid primary key references public.tenants (id) on delete cascade,
  bytes bigint not null default 0,
  assets integer not null default 0,
  constraint media_usage_bytes_is_not_negative check (bytes >= 0)
);
comment on table private.media_usage is
  'Bytes per tenant, of its ready assets and announced for its uploads, and the number of its assets.';

create table private.media_uses (
  tenant_id uuid not null,
  asset_id uuid not null,
  type text not null,
  id uuid not null,
  constraint media_uses_pkey primary key (tenant_id, asset_id, type, id),
  -- Cascades only when the tenant is deleted: keep_shown_media refuses to delete an asset that is used.
  constraint media_uses_asset_id_fkey foreign key (tenant_id, asset_id)
    references public.media_assets (tenant_id, id) on delete cascade
);
comment on table private.media_uses is
  'The records that use an asset, which cannot be deleted meanwhile. Each capability that uses media writes its own rows here.';

create table private.media_sweeps (
  id bigint generated always as identity,
  -- No foreign key: the bytes of a deleted tenant still have to be deleted.
  tenant_id uuid not null,
  bucket text not null,
  path text not null,
  due_at timestamptz not null default now(),
  leased_until timestamptz,
  counts boolean not null default false,
  constraint media_sweeps_pkey primary key (tenant_id, id),
  constraint path_is_unique_in_media_sweeps unique (bucket, path)
);
comment on table private.media_sweeps is
  'The queue of paths in Storage whose bytes a worker deletes. A path that ends with a dot stands for all paths that begin with it. leased_until: the lease that the worker names when it reports. counts: whether the bytes count against the quota until they are deleted.';

-- functions: metadata ----------------------------------------------------------------------------

-- Without a SET clause, so that Postgres inlines it into the index and into the queries that use the index.
create function private.has_metadata(
  type public.media_type, status public.media_status, is_private boolean, cleaned boolean
) returns boolean
language sql immutable
return type = 'image' and status = 'ready' and not is_private and not cleaned;
comment on function private.has_metadata is 'Whether an asset is a public image that was not made by Souk.';

-- indexes --------------------------------------------------------------------------------------

create index media_folders_parent_idx on public.media_folders (tenant_id, parent_id);
create index media_assets_tenant_idx on public.media_assets (tenant_id, upload_date desc, id);
create index media_assets_folder_idx on public.media_assets (tenant_id, folder_id, upload_date desc);
create index media_assets_supplier_idx on public.media_assets (tenant_id, supplier_id);
create index media_assets_uploaded_by_idx on public.media_assets (uploaded_by);
create index media_assets_tags_idx on public.media_assets using gin (tags);
create index media_assets_with_metadata_idx on public.media_assets (tenant_id, id)
  where private.has_metadata(type, status, private, cleaned);
create index media_assets_content_type_idx on public.media_assets (content_type);
create index media_uploads_created_at_idx on private.media_uploads (created_at);
create index media_uploads_content_type_idx on private.media_uploads (content_type);
create index media_uses_user_idx on private.media_uses (tenant_id, type, id);
create index media_sweeps_due_at_idx on private.media_sweeps (due_at);
create index media_sweeps_that_count_idx on private.media_sweeps (tenant_id) where counts;

-- functions: permissions -------------------------------------------------------------------------

create function private.edits_media() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select m.role = 'admin' or m.content_roles && array['editor', 'admin']
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  ), false);
end
$$;
comment on function private.edits_media() is
  'Whether the caller may change all media of the tenant: admins, and members with the content role editor or admin.';

create function private.reads_private_media() returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce((
    select (m.role = 'admin' or m.content_roles <> '{}') and not private.reads_as_customer()
    from public.members m
    where m.user_id = (select auth.uid())
      and m.tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid
      and m.status = 'active'
  ), false);
end
$$;
comment on function private.reads_private_media() is
  'Whether the caller sees all private and all unfinished media: admins, and members with a content role.';

create function private.changes_media(asset public.media_assets) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return asset.tenant_id = private.tenant_id()
    and (private.edits_media() or coalesce(asset.supplier_id = private.supplier_id(), false));
end
$$;
comment on function private.changes_media is
  'Whether the caller may change an asset: members who edit all media, and suppliers for assets of their organisation.';

create function private.sees_media(asset public.media_assets) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return asset.tenant_id = private.tenant_id()
    and (
      not asset.private and asset.status = 'ready'
      or asset.uploaded_by = auth.uid()
      or private.reads_private_media()
      or not asset.private and asset.supplier_id = private.supplier_id()
    ) is true;
end
$$;
comment on function private.sees_media is
  'Whether the caller sees an asset. The same condition as in the select policy of media_assets.';

create function private.may_show(supplier_id uuid, asset public.media_assets) returns boolean
language sql immutable set search_path = ''
as $$
  select asset.supplier_id is null or coalesce(asset.supplier_id = may_show.supplier_id, false)
$$;
comment on function private.may_show is
  'Whether a product or a record about it may name an asset, which cannot be deleted meanwhile: one of the operator, or of the organisation of its supplier. supplier_id: null for a product of the operator.';

create function private.seen_media(asset_id uuid) returns public.media_assets
language plpgsql stable security definer set search_path = ''
as $$
declare
  asset public.media_assets;
begin
  select * into asset
  from public.media_assets a
  where a.tenant_id = private.tenant_id() and a.id = seen_media.asset_id;
  if not found or not private.sees_media(asset) then
    perform private.refuse('NOT_FOUND', 'There is no such asset.', 'asset_id', to_jsonb(asset_id));
  end if;
  return asset;
end
$$;
comment on function private.seen_media is 'An asset that the caller sees. Refuses with NOT_FOUND.';

create function private.changed_media(asset_id uuid) returns public.media_assets
language plpgsql security definer set search_path = ''
as $$
declare
  asset public.media_assets := private.seen_media(changed_media.asset_id);
begin
  if not private.changes_media(asset) then
    perform private.refuse('FORBIDDEN', 'Only the supplier of an asset, content editors and admins may change it.');
  end if;
  return asset;
end
$$;
comment on function private.changed_media is
  'An asset that the caller may change. Refuses with NOT_FOUND, FORBIDDEN.';

-- functions: quota -------------------------------------------------------------------------------

create function private.media_allowance(tenant_id uuid, setting text) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    (
      select (t.settings #>> array['media', setting])::bigint
      from public.tenants t
      where t.id = media_allowance.tenant_id
    ),
    private.cap('media_' || setting)
  );
end
$$;
comment on function private.media_allowance is
  'The limit in bytes of a file (file_bytes) or of all media (quota_bytes) of a tenant: from its settings, or else the cap.';

create function private.bytes_given_up(tenant_id uuid) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(sum((o.metadata ->> 'size')::bigint), 0)
    from private.media_sweeps s
    join storage.objects o on o.bucket_id = s.bucket and o.name = s.path
    where s.tenant_id = bytes_given_up.tenant_id and s.counts
  );
end
$$;
comment on function private.bytes_given_up is
  'Bytes of a tenant''s uploads that were given up and are still in Storage. They are deleted when their upload address has expired.';

create function private.media_bytes_left(tenant_id uuid) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return greatest(
    private.media_allowance(media_bytes_left.tenant_id, 'quota_bytes')
      - coalesce((select u.bytes from private.media_usage u where u.tenant_id = media_bytes_left.tenant_id), 0)
      - private.bytes_given_up(media_bytes_left.tenant_id),
    0
  );
end
$$;
comment on function private.media_bytes_left is 'How many bytes the tenant may still announce.';

create function private.keeps_metadata(settings jsonb) returns boolean
language sql immutable set search_path = ''
return coalesce((settings #>> '{media,keep_metadata}')::boolean, false);
comment on function private.keeps_metadata is
  'Whether a tenant''s settings say that its images are served as they were sent, with their metadata.';

create function private.check_media_settings() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  setting record;
  faults jsonb := '[]'::jsonb;
begin
  perform private.insist_on_keys(new.settings -> 'media', 'settings.media', array['file_bytes', 'quota_bytes', 'keep_metadata']);
  for setting in
    select w.key, w.value from jsonb_each(new.settings -> 'media') as w where w.key <> 'keep_metadata'
  loop
    faults := faults || private.fault_unless(
      jsonb_typeof(setting.value) = 'number'
        and setting.value::text ~ '^[1-9][0-9]{0,15}$'
        and setting.value::text::bigint <= private.cap('media_' || setting.key || '_at_most'),
      'settings.media.' || setting.key,
      format('a whole number from 1 to %s', private.cap('media_' || setting.key || '_at_most')), setting.value
    );
  end loop;
  faults := faults || private.fault_unless(
    coalesce(jsonb_typeof(new.settings #> '{media,keep_metadata}'), 'boolean') = 'boolean',
    'settings.media.keep_metadata', 'true or false', new.settings #> '{media,keep_metadata}'
  );
  perform private.refuse_all(faults);
  return new;
end
$$;
comment on function private.check_media_settings() is
  'Row trigger: refuses media settings that are no limits in bytes or above the operator''s caps, and a keep_metadata that is not true or false.';

create function private.count_announced_bytes() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  most bigint := private.media_allowance(new.tenant_id, 'file_bytes');
begin
  if new.size > most then
    perform private.refuse(
      'VALIDATION_ERROR', format('A file may have at most %s bytes.', most), 'size', to_jsonb(new.size),
      jsonb_build_object('remaining', least(private.media_bytes_left(new.tenant_id), most))
    );
  end if;
  insert into private.media_usage (tenant_id) values (new.tenant_id) on conflict (tenant_id) do nothing;
  -- One statement reads and writes, so that parallel announcements count each other.
  update private.media_usage u
  set bytes = u.bytes + new.size
  where u.tenant_id = new.tenant_id
    and u.bytes + new.size + private.bytes_given_up(new.tenant_id)
      <= private.media_allowance(new.tenant_id, 'quota_bytes');
  if not found then
    perform private.refuse(
      'VALIDATION_ERROR', 'The tenant''s media quota has no room for this file. Delete assets that nothing uses.', 'size',
      to_jsonb(new.size),
      jsonb_build_object('remaining', private.media_bytes_left(new.tenant_id))
    );
  end if;
  return new;
end
$$;
comment on function private.count_announced_bytes() is
  'Row trigger: adds the announced bytes to the usage. Refuses with VALIDATION_ERROR on size a file above the limit or the quota.';

create function private.discount_announced_bytes() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update private.media_usage u set bytes = u.bytes - old.size where u.tenant_id = old.tenant_id;
  return null;
end
$$;
comment on function private.discount_announced_bytes() is
  'Row trigger: subtracts the announced bytes when an upload is completed or given up.';

create function private.count_media_bytes() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid := case when tg_op = 'DELETE' then old.tenant_id else new.tenant_id end;
  before bigint := case when tg_op <> 'INSERT' and old.status = 'ready' then old.size else 0 end;
  after bigint := case when tg_op <> 'DELETE' and new.status = 'ready' then new.size else 0 end;
begin
  if after <> before then
    -- The quota holds: these are at most the announced bytes, which were counted until now.
    update private.media_usage u set bytes = u.bytes + after - before where u.tenant_id = tenant;
    if not found and tg_op <> 'DELETE' then
      insert into private.media_usage as u (tenant_id, bytes) values (tenant, after)
      on conflict (tenant_id) do update set bytes = u.bytes + excluded.bytes;
    end if;
  end if;
  return null;
end
$$;
comment on function private.count_media_bytes() is 'Row trigger: keeps the usage equal to the bytes of the ready assets.';

create function private.count_media_assets() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    update private.media_usage u set assets = u.assets - 1 where u.tenant_id = old.tenant_id;
    return null;
  end if;
  insert into private.media_usage as u (tenant_id, assets)
  values (new.tenant_id, 1)
  on conflict (tenant_id) do update set assets = u.assets + 1
  where u.assets < private.cap('media_assets_per_tenant');
  if not found then
    perform private.refuse_beyond('media_assets_per_tenant', 'The media library has the maximum number of assets.');
  end if;
  return null;
end
$$;
comment on function private.count_media_assets() is
  'Row trigger: counts the assets of a tenant. Refuses with LIMIT_REACHED more than the cap.';

-- functions: deletion of bytes --------------------------------------------------------------------

create function private.give_up_upload() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- An upload address is valid for two hours, and a repeated request may sign it again in these two hours. As long as the
  -- bytes are there, Storage takes no others in their place.
  insert into private.media_sweeps (tenant_id, bucket, path, due_at, counts)
  values (old.tenant_id, 'uploads', old.path, greatest(old.created_at + interval '4 hours', now()), true)
  on conflict on constraint path_is_unique_in_media_sweeps do nothing;
  -- A request that completes this upload may still be copying it.
  insert into private.media_sweeps (tenant_id, bucket, path, due_at)
  select old.tenant_id, b.bucket, format('%s/%s.', old.tenant_id, old.id),
    greatest(old.created_at + interval '4 hours', now() + interval '1 hour')
  from unnest(array['media', 'documents']) as b (bucket)
  on conflict on constraint path_is_unique_in_media_sweeps do nothing;
  return null;
end
$$;
comment on function private.give_up_upload() is
  'Row trigger: queues the deletion of the uploaded bytes, and of their copies unless an asset points there.';

create function private.give_up_media() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.media_sweeps (tenant_id, bucket, path)
  values (old.tenant_id, old.bucket, old.path)
  on conflict on constraint path_is_unique_in_media_sweeps do update set due_at = now();
  return null;
end
$$;
comment on function private.give_up_media() is
  'Row trigger: queues the deletion of the bytes that an asset no longer points at.';

create function private.media_uses_of(asset public.media_assets) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('type', u.type, 'id', u.id) order by u.type, u.id), '[]')
    from (
      select u.type, u.id
      from private.media_uses u
      where u.tenant_id = asset.tenant_id and u.asset_id = asset.id
      order by u.type, u.id
      limit 100
    ) as u
  );
end
$$;
comment on function private.media_uses_of is 'The records that use an asset, at most 100.';

create function private.keep_shown_media() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  -- The row is locked: a transaction that begins to use the asset has ended before this.
  uses jsonb := private.media_uses_of(old);
begin
  -- With its tenant, an asset is deleted in any case.
  if uses <> '[]' and exists (select from public.tenants t where t.id = old.tenant_id) then
    perform private.refuse(
      'CONFLICT', 'This asset is used. Remove it from the records that use it first.', null, null,
      jsonb_build_object('used_by', uses)
    );
  end if;
  return old;
end
$$;
comment on function private.keep_shown_media() is
  'Row trigger: refuses with CONFLICT to delete an asset that is used. The details name the records.';

create function private.check_folder_is_empty() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if (
      exists (select from public.media_assets a where a.tenant_id = old.tenant_id and a.folder_id = old.id)
      or exists (select from public.media_folders f where f.tenant_id = old.tenant_id and f.parent_id = old.id)
    )
    and exists (select from public.tenants t where t.id = old.tenant_id)
  then
    perform private.refuse('CONFLICT', 'This folder is not empty. Move or delete its content first.');
  end if;
  return old;
end
$$;
comment on function private.check_folder_is_empty() is
  'Row trigger: refuses with CONFLICT to delete a folder that is not empty.';

-- functions: checks ------------------------------------------------------------------------------

create function private.check_media_texts() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  text_of record;
begin
  perform private.insist(
    jsonb_typeof(new.alt_texts) = 'object' and (select count(*) from jsonb_object_keys(new.alt_texts)) <= 50,
    'alt_texts', 'an object of at most 50 entries', new.alt_texts
  );
  for text_of in select t.key, t.value from jsonb_each(new.alt_texts) as t loop
    perform private.insist(
      text_of.key ~ '^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$', 'alt_texts.' || left(text_of.key, 50),
      'named with a language, such as en or pt-BR', text_of.value
    );
    perform private.insist(
      private.is_text(text_of.value, 0, 500), 'alt_texts.' || text_of.key, 'a text of at most 500 characters', text_of.value
    );
  end loop;
  perform private.check_list(to_jsonb(new.tags), 'tags', 50);
  if new.focal_point is not null then
    perform private.insist_on_keys(new.focal_point, 'focal_point', array['x', 'y']);
    perform private.insist(
      jsonb_typeof(new.focal_point -> 'x') = 'number' and jsonb_typeof(new.focal_point -> 'y') = 'number'
        and private.has_short_numbers(new.focal_point)
        and (new.focal_point ->> 'x')::numeric between 0 and 1 and (new.focal_point ->> 'y')::numeric between 0 and 1,
      'focal_point', 'a point {x, y}, each from 0 to 1', new.focal_point
    );
  end if;
  return new;
end
$$;
comment on function private.check_media_texts() is
  'Row trigger: checks alternative texts by language, tags and the focal point.';

create function private.check_media_folder() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  depth integer;
begin
  -- Two folders that are moved into each other in parallel would make a cycle.
  perform private.hold('media_folders', new.tenant_id::text);
  if tg_op = 'INSERT' and (
    select count(*) >= private.cap('media_folders_per_tenant')
    from public.media_folders f where f.tenant_id = new.tenant_id
  ) then
    perform private.refuse_beyond('media_folders_per_tenant', 'The media library has the maximum number of folders.');
  end if;
  with recursive above (id, depth) as (
    select new.parent_id, 1
    union all
    select f.parent_id, a.depth + 1
    from above a
    join public.media_folders f on f.tenant_id = new.tenant_id and f.id = a.id
    where a.depth <= 10 and f.id <> new.id
  ),
  below (id, depth) as (
    select new.id, 0
    union all
    select f.id, b.depth + 1
    from below b
    join public.media_folders f on f.tenant_id = new.tenant_id and f.parent_id = b.id
    where b.depth <= 10
  )
  select case
    when exists (select from above a where a.id = new.id) then null
    else (select max(a.depth) from above a where a.id is not null) + (select max(b.depth) from below b)
  end
  into depth;
  if new.parent_id is not null then
    perform private.insist(depth is not null, 'parent_id', 'a folder that is not inside this one', to_jsonb(new.parent_id));
    perform private.insist(depth < 10, 'parent_id', 'at most 9 folders deep', to_jsonb(new.parent_id));
  end if;
  return new;
end
$$;
comment on function private.check_media_folder() is
  'Row trigger: refuses cycles of folders, more than ten levels, and more folders than the cap.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.media_folders
  for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.media_assets
  for each row execute function private.keep_nfc();

create trigger tenants_check_media_settings
  before insert or update of settings on public.tenants
  for each row when (new.settings ? 'media')
  execute function private.check_media_settings();

create trigger media_folders_check_place
  before insert or update of parent_id on public.media_folders
  for each row execute function private.check_media_folder();

create trigger media_folders_check_that_it_is_empty
  before delete on public.media_folders
  for each row execute function private.check_folder_is_empty();

create trigger media_assets_stay_while_shown
  before delete on public.media_assets
  for each row execute function private.keep_shown_media();

create trigger media_assets_check_texts
  before insert or update of alt_texts, tags, focal_point on public.media_assets
  for each row execute function private.check_media_texts();

create trigger media_assets_touch
  before update on public.media_assets
  for each row execute function private.touch();

create trigger media_uploads_count_announced
  before insert on private.media_uploads
  for each row execute function private.count_announced_bytes();

create trigger media_uploads_discount_announced
  after delete on private.media_uploads
  for each row execute function private.discount_announced_bytes();

create trigger media_uploads_give_up
  after delete on private.media_uploads
  for each row execute function private.give_up_upload();

create trigger media_assets_count_bytes
  after insert or delete or update of status, size on public.media_assets
  for each row execute function private.count_media_bytes();

create trigger media_assets_count
  after insert or delete on public.media_assets
  for each row execute function private.count_media_assets();

create trigger media_assets_give_up_when_deleted
  after delete on public.media_assets
  for each row when (old.path is not null)
  execute function private.give_up_media();

create trigger media_assets_give_up_when_replaced
  after update of path on public.media_assets
  for each row when (old.path is distinct from new.path and old.path is not null)
  execute function private.give_up_media();

-- policies -------------------------------------------------------------------------------------

alter table private.media_types enable row level security;
alter table private.media_settings enable row level security;
alter table private.media_uploads enable row level security;
alter table private.media_usage enable row level security;
alter table private.media_uses enable row level security;
alter table private.media_sweeps enable row level security;
alter table public.media_folders enable row level security;
alter table public.media_assets enable row level security;

create policy "Members see ready public media, uploaders and content roles the rest" on public.media_assets
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (
      not private and status = 'ready'
      or uploaded_by = (select auth.uid())
      or (select private.reads_private_media())
      or not private and supplier_id = (select private.supplier_id())
    )
  );

create policy "Editors change all media, suppliers their own" on public.media_assets
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and ((select private.edits_media()) or supplier_id = (select private.supplier_id()))
  )
  with check (
    tenant_id = (select private.tenant_id())
    and ((select private.edits_media()) or supplier_id = (select private.supplier_id()))
  );

create policy "Editors delete all media, suppliers their own" on public.media_assets
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and ((select private.edits_media()) or supplier_id = (select private.supplier_id()))
  );

create policy "Members see their tenant's folders" on public.media_folders
  for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create policy "Editors create folders" on public.media_folders
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.edits_media()));

create policy "Editors change folders" on public.media_folders
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.edits_media()))
  with check (tenant_id = (select private.tenant_id()) and (select private.edits_media()));

create policy "Editors delete folders" on public.media_folders
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.edits_media()));

-- grants ---------------------------------------------------------------------------------------

grant select, delete on public.media_assets to authenticated;
grant update (alt_text, alt_texts, focal_point, tags, folder_id) on public.media_assets to authenticated;
grant select, delete, insert (parent_id, name), update (parent_id, name) on public.media_folders to authenticated;
grant all on public.media_assets, public.media_folders to service_role;
grant execute on function
  private.edits_media(), private.reads_private_media(), private.changes_media, private.sees_media, private.may_show, private.seen_media,
  private.changed_media
to authenticated, service_role;
-- The index computes it for whoever writes a row.
grant execute on function private.has_metadata to authenticated, service_role;

-- supabase/schemas/media/0352_media_records.sql

-- Media as the API returns them: addresses, smaller versions of images, and the records that use them.

-- functions ------------------------------------------------------------------------------------

create function private.url_encoded(words text) returns text
language sql immutable
return regexp_replace(encode(convert_to(words, 'utf8'), 'hex'), '(..)', '%\1', 'g');
comment on function private.url_encoded is 'A text, percent-encoded for a URL: each byte as %XX.';

create function private.storage_address() returns text
language sql stable security definer set search_path = ''
as $$
  select s.address from private.media_settings s
$$;
comment on function private.storage_address is 'Where browsers reach the project''s Storage.';

create function private.media_url(asset public.media_assets) returns text
language sql stable
return case
  when asset.private or asset.path is null then null
  -- Storage sends no `nosniff` header. So a browser saves files that are not images instead of showing them.
  else format('%s/object/public/%s/%s', private.storage_address(), asset.bucket, asset.path)
    || case when asset.type <> 'image' then '?download=' || private.url_encoded(asset.filename) else '' end
end;
comment on function private.media_url is 'The public address of an asset; null for a private one.';

create function private.media_variants(asset public.media_assets) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  if asset.width is null or asset.path is null or not asset.resizable or not (select s.transformations from private.media_settings s) then
    return jsonb '[]';
  end if;
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'width', v.width, 'height', v.height, 'format', 'webp',
          'url', case when not asset.private then
            format(
              '%s/render/image/public/%s/%s?width=%s&height=%s',
              private.storage_address(), asset.bucket, asset.path, v.width, v.height
            )
          end
        )
        order by v.width
      ),
      '[]'
    )
    from (
      select w.width, greatest(1, round(asset.height::numeric * w.width / asset.width))::integer as height
      from unnest(array[320, 640, 1280, 1920]) as w (width)
      -- 2500 pixels is Storage's limit for a side.
      where w.width <= asset.width and asset.height::numeric * w.width / asset.width <= 2500
    ) as v
  );
end
$$;
comment on function private.media_variants is
  'The smaller versions of an image, never wider than the original. Storage makes WebP for clients that accept it. Empty for images that move, and where the project has no transformations. url: null for a private asset.';

create function private.srcset_of(variants jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select string_agg(format('%s %sw', v ->> 'url', v ->> 'width'), ', ' order by (v ->> 'width')::integer)
    from jsonb_array_elements(variants) as v
    where v ->> 'url' is not null
  );
end
$$;
comment on function private.srcset_of is 'The variants of an image as HTML''s srcset takes them; null without variants.';

create function private.media_record(asset public.media_assets) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  variants jsonb := private.media_variants(asset);
begin
  return jsonb_build_object(
    'id', asset.id, 'tenant_id', asset.tenant_id, 'uploaded_by', asset.uploaded_by, 'supplier_id', asset.supplier_id,
    'filename', asset.filename, 'type', asset.type, 'content_type', asset.content_type, 'size', asset.size,
    'dimensions', case when asset.width is not null then
      jsonb_build_object('width', asset.width, 'height', asset.height)
    end,
    'alt_text', asset.alt_text, 'alt_texts', asset.alt_texts, 'focal_point', asset.focal_point, 'tags', asset.tags,
    'folder_id', asset.folder_id, 'private', asset.private, 'status', asset.status,
    'url', private.media_url(asset), 'variants', variants, 'srcset', private.srcset_of(variants),
    'bucket', asset.bucket, 'path', asset.path,
    -- Other callers may not see the records that use it.
    'used_by', case when private.changes_media(asset) then private.media_uses_of(asset) else '[]' end,
    'upload_date', asset.upload_date, 'updated_at', asset.updated_at
  );
end
$$;
comment on function private.media_record is
  'The whole record of an asset. The addresses of a private one are null: the function api signs them.';

create function public.get_media(asset_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return private.media_record(private.seen_media(asset_id));
end
$$;
comment on function public.get_media is 'The whole record of an asset. Refuses with NOT_FOUND.';

create function private.list_media(
  search text, type public.media_type, tag text, folder_id uuid, unused boolean, "order" text, page integer, "limit" integer
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  size integer := least(greatest("limit", 1), 1000);
  direction text := case "order" when 'asc' then 'asc' else 'desc' end;
  condition text := 'a.tenant_id = $1'
    || case when private.reads_private_media() then '' else
         ' and (not a.private and a.status = ''ready'' or a.uploaded_by = $2 or not a.private and a.supplier_id = $3)'
       end
    || case when search is null then '' else
         ' and private.media_words(a.filename, a.alt_text, a.tags) like $4'
       end
    || case when type is null then '' else ' and a.type = $5' end
    || case when tag is null then '' else ' and a.tags @> array[$6]' end
    || case when folder_id is null then '' else ' and a.folder_id = $7' end
    || case when unused is null then '' else
         case when unused then ' and not' else ' and' end
         || ' exists (select from private.media_uses u where u.tenant_id = a.tenant_id and u.asset_id = a.id)'
       end;
  answer jsonb;
begin
  execute $query$
    with shown as materialized (
      select a.id, a.upload_date
      from public.media_assets a
      where $query$ || condition || $query$
      order by a.upload_date $query$ || direction || $query$, a.id
      offset $8 limit $9
    )
    select jsonb_build_object(
      'media', (
        select coalesce(
          jsonb_agg(private.media_record(a) order by a.upload_date $query$ || direction || $query$, a.id), '[]'
        )
        from shown s
        join public.media_assets a on a.id = s.id
      ),
      'total', (select count(*) from public.media_assets a where $query$ || condition || $query$)
    )
  $query$
  into answer
  using
    private.tenant_id(), auth.uid(), private.supplier_id(),
    '%' || regexp_replace(lower(search), '([\\%_])', '\\\1', 'g') || '%', type, tag, folder_id,
    (greatest(page, 1)::bigint - 1) * size, size;
  return answer;
end
$$;
comment on function private.list_media is 'As public.list_media.';

create function private.media_words(filename text, alt_text text, tags text[]) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return lower(filename || ' ' || alt_text || ' ' || array_to_string(tags, ' '));
end
$$;
comment on function private.media_words is 'The text that a search looks in: name, alternative text and tags, in lower case.';

create index media_assets_words_idx on public.media_assets
  using gin (private.media_words(filename, alt_text, tags) extensions.gin_trgm_ops);

create function public.list_media(
  search text default null,
  type public.media_type default null,
  tag text default null,
  folder_id uuid default null,
  unused boolean default null,
  "order" text default 'desc',
  page integer default 1,
  "limit" integer default 100
) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  return private.list_media(
    private.searched(search), type, private.nfc(tag), folder_id, unused, "order", page, "limit"
  );
end
$$;
comment on function public.list_media is
  'A page of the media that the caller sees, the newest first by default. search: a part of name, alternative text or tags. unused: only assets that no record uses, or only used ones.';

create function public.update_media_asset(asset_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  was public.media_assets := private.changed_media(update_media_asset.asset_id);
  changed public.media_assets;
begin
  perform private.known_only(changes, array['alt_text', 'alt_texts', 'focal_point', 'tags', 'folder_id']);
  changed := jsonb_populate_record(was, changes);
  changed.focal_point := nullif(changed.focal_point, 'null');
  update public.media_assets a
  set alt_text = changed.alt_text, alt_texts = changed.alt_texts, focal_point = changed.focal_point, tags = changed.tags,
      folder_id = changed.folder_id
  where a.id = was.id
  returning * into was;
  return private.media_record(was);
end
$$;
comment on function public.update_media_asset is
  'Changes alt_text, alt_texts, focal_point, tags and folder_id of an asset, and returns its whole record. Fields that are not among the changes stay. Products that show the asset''s alternative text show the new one.';

create function public.delete_media_asset(asset_id uuid) returns void
language plpgsql set search_path = ''
as $$
declare
  asset public.media_assets := private.changed_media(delete_media_asset.asset_id);
begin
  delete from public.media_assets a where a.id = asset.id;
end
$$;
comment on function public.delete_media_asset is
  'Deletes an asset; a worker deletes its bytes. Refuses with CONFLICT while a record uses it; details.used_by names the records.';

create function private.seen_folder(folder_id uuid) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform 1 from public.media_folders f where f.id = folder_id;
  if not found then
    perform private.refuse('NOT_FOUND', 'There is no such folder.');
  elsif not private.edits_media() then
    perform private.refuse('FORBIDDEN', 'Only content editors and admins may change folders.');
  end if;
end
$$;
comment on function private.seen_folder is
  'Refuses with NOT_FOUND a folder that the caller does not see, and with FORBIDDEN a caller that may not change it.';

create function public.create_media_folder(name text, parent_id uuid default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  made public.media_folders;
begin
  if not private.edits_media() then
    perform private.refuse('FORBIDDEN', 'Only content editors and admins may create folders.');
  end if;
  insert into public.media_folders (name, parent_id)
  values (create_media_folder.name, create_media_folder.parent_id)
  returning * into made;
  return to_jsonb(made);
end
$$;
comment on function public.create_media_folder is 'Creates a folder of the media library, and returns its whole record.';

create function public.update_media_folder(folder_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  changed public.media_folders;
begin
  perform private.known_only(changes, array['name', 'parent_id']);
  perform private.seen_folder(folder_id);
  update public.media_folders f
  set name = case when changes ? 'name' then changes ->> 'name' else f.name end,
      parent_id = case when changes ? 'parent_id' then (changes ->> 'parent_id')::uuid else f.parent_id end
  where f.id = folder_id
  returning * into changed;
  return to_jsonb(changed);
end
$$;
comment on function public.update_media_folder is
  'Renames a folder or moves it into another one, and returns its whole record.';

create function public.delete_media_folder(folder_id uuid) returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.seen_folder(folder_id);
  delete from public.media_folders f where f.id = folder_id;
end
$$;
comment on function public.delete_media_folder is 'Deletes a folder. Refuses with CONFLICT unless it is empty.';

create function private.folders_below(tenant_id uuid, parent_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        to_jsonb(f) || jsonb_build_object('children', private.folders_below(f.tenant_id, f.id)) order by private.sort_name(f.name) collate "C", f.id
      ),
      '[]'
    )
    from public.media_folders f
    where f.tenant_id = folders_below.tenant_id and f.parent_id is not distinct from folders_below.parent_id
  );
end
$$;
comment on function private.folders_below is 'The folders in a folder, each with its children; with a null parent_id those at the top.';

create function public.list_media_folders() returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  return private.folders_below(private.tenant_id(), null);
end
$$;
comment on function public.list_media_folders is 'All folders of the media library, as a tree.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.url_encoded, private.storage_address, private.media_url, private.media_variants, private.srcset_of, private.media_uses_of,
  private.media_record, private.list_media, private.media_words, private.seen_folder,
  private.folders_below
to authenticated, service_role;
grant execute on function
  public.get_media, public.list_media, public.update_media_asset, public.delete_media_asset,
  public.create_media_folder, public.list_media_folders(), public.update_media_folder, public.delete_media_folder
to authenticated;

-- supabase/schemas/media/0354_media_uploads.sql

-- The steps of an upload: a member announces a file, uploads it to Storage, and the function `api` checks its bytes. And
-- the buckets of Storage, with their policies.

-- functions ------------------------------------------------------------------------------------

create function private.media_advice(content_type text) returns text
language sql immutable set search_path = ''
return 'The media library does not take ' || coalesce(left(content_type, 100), 'this content type') || '.' || case
  when content_type ~ '^image/hei[cf]' then
    ' Convert the photo to JPEG. An iPhone takes JPEGs with Settings, Camera, Formats, Most Compatible.'
  when content_type = 'image/svg+xml' then ' Convert the drawing to PNG.'
  when content_type like 'image/%' then ' Convert the picture to JPEG or PNG.'
  when content_type = 'video/quicktime' then
    ' Convert the video to MP4. iPhones write MOV, which many browsers do not play.'
  when content_type like 'video/%' then ' Convert the video to MP4.'
  else ''
end;
comment on function private.media_advice is
  'The message for a content type that the library does not take, with what to do.';

create function public.media_advice(content_type text) returns text
language plpgsql stable set search_path = ''
as $$
begin
  return private.media_advice(content_type);
end
$$;
comment on function public.media_advice is
  'For the functions: the message for a content type that the library does not take, with what to do.';

create function private.announced_type(content_type text) returns private.media_types
language plpgsql stable security definer set search_path = ''
as $$
declare
  found private.media_types;
begin
  select * into found from private.media_types t where t.content_type = announced_type.content_type;
  if found.content_type is null then
    perform private.refuse(
      'UNSUPPORTED_MEDIA', private.media_advice(content_type), 'content_type', to_jsonb(content_type)
    );
  end if;
  return found;
end
$$;
comment on function private.announced_type is 'The row of a content type. Refuses with UNSUPPORTED_MEDIA one that the library does not take.';

create function private.adds_media() returns void
language plpgsql stable security definer set search_path = ''
as $$
begin
  if not (private.edits_media() or private.supplier_id() is not null) then
    perform private.refuse('FORBIDDEN', 'Only suppliers, content editors and admins may upload media.');
  end if;
end
$$;
comment on function private.adds_media() is 'Refuses with FORBIDDEN a caller that may not upload.';

create function private.announce_upload(asset public.media_assets, filename text, size bigint, content_type text)
returns private.media_uploads
language plpgsql security definer set search_path = ''
as $$
declare
  upload private.media_uploads;
  upload_id uuid := gen_random_uuid();
begin
  -- A new announcement replaces the one before.
  delete from private.media_uploads u where u.tenant_id = asset.tenant_id and u.asset_id = asset.id;
  insert into private.media_uploads (id, tenant_id, asset_id, path, filename, content_type, size)
  values (
    upload_id, asset.tenant_id, asset.id, format('%s/%s', asset.tenant_id, upload_id), announce_upload.filename,
    announce_upload.content_type, announce_upload.size
  )
  returning * into upload;
  return upload;
end
$$;
comment on function private.announce_upload is 'Announces an upload for an asset, at a new path in the bucket uploads.';

create function private.with_upload(asset public.media_assets, upload private.media_uploads) returns jsonb
language sql stable set search_path = ''
as $$
  select private.media_record(asset) || jsonb_build_object(
    'upload', jsonb_build_object(
      'path', upload.path, 'content_type', upload.content_type, 'expires_at', upload.created_at + interval '2 hours'
    )
  )
$$;
comment on function private.with_upload is
  'The record of an asset, with the path of its upload and when the signed address for it expires.';

create function private.create_media_asset(
  filename text, size bigint, content_type text, alt_text text, tags text[], folder_id uuid, private boolean
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  asset public.media_assets;
begin
  perform private.adds_media();
  insert into public.media_assets (
    tenant_id, uploaded_by, supplier_id, filename, type, content_type, size, alt_text, tags, folder_id, private
  )
  values (
    private.tenant_id(), auth.uid(), private.supplier_id(), create_media_asset.filename,
    (private.announced_type(create_media_asset.content_type)).type, create_media_asset.content_type,
    create_media_asset.size, create_media_asset.alt_text, create_media_asset.tags, create_media_asset.folder_id,
    create_media_asset.private
  )
  returning * into asset;
  return private.with_upload(
    asset, private.announce_upload(asset, asset.filename, asset.size, asset.content_type)
  );
end
$$;
comment on function private.create_media_asset is 'As public.create_media_asset.';

create function public.create_media_asset(
  filename text, size bigint, content_type text, alt_text text default '', tags text[] default '{}',
  folder_id uuid default null, private boolean default false
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.create_media_asset($1, $2, $3, $4, $5, $6, $7);
end
$$;
comment on function public.create_media_asset is
  'Announces a file: its bytes count against the quota from now on. Returns the asset and the path in the bucket uploads for its bytes. Refuses with FORBIDDEN, UNSUPPORTED_MEDIA, and with VALIDATION_ERROR on size, where details.remaining is the room left in bytes.';

create function private.replace_media_asset(asset_id uuid, filename text, size bigint, content_type text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  asset public.media_assets := private.changed_media(replace_media_asset.asset_id);
begin
  if asset.status <> 'ready' then
    perform private.refuse(
      'INVALID_TRANSITION', 'This asset is not complete. Complete its upload first.', 'status', to_jsonb(asset.status)
    );
  elsif (private.announced_type(replace_media_asset.content_type)).type <> asset.type then
    perform private.refuse(
      'VALIDATION_ERROR', format('The new file must be of the same type, %s.', asset.type), 'content_type',
      to_jsonb(content_type)
    );
  end if;
  return private.with_upload(
    asset,
    private.announce_upload(
      asset, replace_media_asset.filename, replace_media_asset.size, replace_media_asset.content_type
    )
  );
end
$$;
comment on function private.replace_media_asset is 'As public.replace_media_asset.';

create function public.replace_media_asset(asset_id uuid, filename text, size bigint, content_type text) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.replace_media_asset(asset_id, filename, size, content_type);
end
$$;
comment on function public.replace_media_asset is
  'Announces a file that replaces an asset''s. The asset does not change until the upload is completed. Returns as create_media_asset does.';

create function private.register_media(
  bucket text, path text, alt_text text, tags text[], folder_id uuid, private boolean
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
  sent record;
  asset public.media_assets;
begin
  perform private.adds_media();
  if register_media.bucket <> 'uploads' then
    perform private.refuse(
      'VALIDATION_ERROR', 'Only objects in the bucket uploads can be registered.', 'bucket', to_jsonb(bucket)
    );
  end if;
  select (o.metadata ->> 'size')::bigint as size, lower(split_part(o.metadata ->> 'mimetype', ';', 1)) as content_type
  into sent
  from storage.objects o
  where o.bucket_id = 'uploads' and o.name = register_media.path and o.owner_id = auth.uid()::text
    and o.name ^@ (tenant || '/');
  if not found then
    perform private.refuse('NOT_FOUND', 'You have uploaded no object with this path.', 'path', to_jsonb(path));
  elsif exists (select from private.media_uploads u where u.path = register_media.path)
    or exists (select from private.media_sweeps s where s.bucket = 'uploads' and s.path = register_media.path)
  then
    perform private.refuse('CONFLICT', 'This object was registered before.', 'path', to_jsonb(path));
  end if;
  insert into public.media_assets (
    tenant_id, uploaded_by, supplier_id, filename, type, content_type, size, alt_text, tags, folder_id, private
  )
  values (
    tenant, auth.uid(), private.supplier_id(),
    left(regexp_replace(path, '^.*/', ''), 255), (private.announced_type(sent.content_type)).type, sent.content_type, sent.size,
    register_media.alt_text, register_media.tags, register_media.folder_id, register_media.private
  )
  returning * into asset;
  insert into private.media_uploads (tenant_id, asset_id, path, filename, content_type, size)
  values (tenant, asset.id, register_media.path, asset.filename, asset.content_type, asset.size);
  return private.media_record(asset);
end
$$;
comment on function private.register_media is 'As public.register_media.';

create function public.register_media(
  bucket text, path text, alt_text text default '', tags text[] default '{}', folder_id uuid default null,
  private boolean default false
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.register_media($1, $2, $3, $4, $5, $6);
end
$$;
comment on function public.register_media is
  'Makes an asset of an object that the caller uploaded to the bucket uploads, below the tenant''s id. Returns its record; POST /api/media/{id}/complete then checks the bytes.';

create function private.media_upload(asset_id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  asset public.media_assets := private.changed_media(media_upload.asset_id);
begin
  return jsonb_build_object(
    'asset', private.media_record(asset),
    'upload', (
      select jsonb_build_object(
        'id', u.id, 'path', u.path, 'size', u.size, 'content_type', u.content_type,
        'accepts', (
          select jsonb_object_agg(other.content_type, other.extension)
          from private.media_types other
          where other.type = t.type
        ),
        'copy_to', case when asset.private then 'documents' else 'media' end,
        -- Private files are saved, and sold, as they were sent.
        'keep_metadata', asset.private or (
          select private.keeps_metadata(n.settings) from public.tenants n where n.id = asset.tenant_id
        ),
        'transformations', s.transformations
      )
      from private.media_uploads u
      join private.media_types t on t.content_type = u.content_type
      cross join private.media_settings s
      where u.tenant_id = asset.tenant_id and u.asset_id = asset.id
    )
  );
end
$$;
comment on function private.media_upload is 'As public.media_upload.';

create function public.media_upload(asset_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.media_upload(asset_id);
end
$$;
comment on function public.media_upload is
  'An asset that the caller may change, and its upload; null without one. Refuses with NOT_FOUND, FORBIDDEN.';

create function public.finish_media_upload(
  upload_id uuid, path text, address text, content_type text, size bigint, width integer default null,
  height integer default null, cleaned boolean default false, resizable boolean default true
) returns boolean
language plpgsql set search_path = ''
as $$
declare
  upload private.media_uploads;
begin
  -- A parallel request that completes the upload or gives it up waits here, or was first.
  delete from private.media_uploads u where u.id = finish_media_upload.upload_id returning * into upload;
  if not found then
    return false;
  end if;
  if private.storage_address() is null then
    perform public.set_storage_address(finish_media_upload.address);
  end if;
  -- From now on the copy counts.
  update private.media_sweeps s set counts = false where s.bucket = 'uploads' and s.path = upload.path;
  update public.media_assets a
  set status = 'ready', filename = upload.filename, content_type = finish_media_upload.content_type,
      size = finish_media_upload.size, width = finish_media_upload.width, height = finish_media_upload.height,
      cleaned = finish_media_upload.cleaned, resizable = finish_media_upload.resizable,
      bucket = case when a.private then 'documents' else 'media' end,
      path = finish_media_upload.path
  where a.tenant_id = upload.tenant_id and a.id = upload.asset_id;
  return true;
end
$$;
comment on function public.finish_media_upload is
  'For the functions: makes the asset point at the checked copy of an upload. address: that of Storage, which the first upload of the project notes. Returns false if another request has completed the upload or given it up.';

create function public.refuse_media_upload(upload_id uuid) returns void
language plpgsql set search_path = ''
as $$
declare
  upload private.media_uploads;
begin
  delete from private.media_uploads u where u.id = refuse_media_upload.upload_id returning * into upload;
  -- An asset whose file it was to replace keeps its file.
  delete from public.media_assets a
  where a.tenant_id = upload.tenant_id and a.id = upload.asset_id and a.status = 'uploading';
end
$$;
comment on function public.refuse_media_upload is
  'For the functions: gives up an upload that the library does not take. Deletes the asset too, unless it has other bytes.';

create function private.uploads_waiting(tenant_id uuid) returns bigint
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    select coalesce(sum((o.metadata ->> 'size')::bigint), 0)
    from storage.objects o
    where o.bucket_id = 'uploads'
      and o.name collate "C" >= uploads_waiting.tenant_id || '/' and o.name collate "C" < uploads_waiting.tenant_id || '0'
      -- Announced uploads are in media_usage, completed ones count as assets, and media_bytes_left subtracts those that
      -- were given up.
      and not exists (select from private.media_uploads u where u.path = o.name)
      and not exists (select from private.media_sweeps s where s.bucket = 'uploads' and s.path = o.name)
  );
end
$$;
comment on function private.uploads_waiting is
  'Bytes of a tenant''s objects in the bucket uploads that were neither announced nor registered.';

create function private.may_upload(name text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  tenant uuid := private.tenant_id();
begin
  return tenant is not null
    and (private.edits_media() or private.supplier_id() is not null)
    and name ~ ('^' || tenant || '/[A-Za-z0-9][A-Za-z0-9 _.()-]{0,254}(/[A-Za-z0-9][A-Za-z0-9 _.()-]{0,254}){0,9}$')
    and private.uploads_waiting(tenant) < private.media_bytes_left(tenant);
end
$$;
comment on function private.may_upload is
  'Whether the caller may upload to a path in the bucket uploads: below its tenant''s id, while the quota has room.';

create function private.may_fetch(name text) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
declare
  asset public.media_assets;
begin
  select * into asset from public.media_assets a where a.bucket = 'documents' and a.path = may_fetch.name;
  return found and private.sees_media(asset);
end
$$;
comment on function private.may_fetch is 'Whether the caller sees the private asset that has its bytes at this path.';

create function private.lists_objects() returns boolean
language sql stable set search_path = ''
return coalesce(current_setting('storage.operation', true), '') like '%.list%';
comment on function private.lists_objects() is
  'Whether the request to Storage lists objects. The policies for reading refuse lists at once, because a list would check the rights to each object of the bucket.';

create function public.set_image_transformations(enabled boolean) returns void
language plpgsql set search_path = ''
as $$
begin
  update private.media_settings s set transformations = enabled where s.transformations <> enabled;
end
$$;
comment on function public.set_image_transformations is
  'For the operator: whether the project''s Storage makes smaller versions of images. Without them images have no variants, and url is the original.';

create function public.set_storage_address(address text) returns void
language plpgsql set search_path = ''
as $$
begin
  -- The statement's trigger updates all products that show images.
  if private.storage_address() is distinct from set_storage_address.address then
    update private.media_settings s set address = set_storage_address.address where s.only_one;
  end if;
end
$$;
comment on function public.set_storage_address is
  'For the operator: where browsers reach the project''s Storage, such as https://api.example.com/storage/v1. All public media have this address from then on, also in products.';

-- There are no other policies, so nobody changes, deletes or lists objects. The bucket media is public: reading an object
-- needs no policy.

create policy "Suppliers and editors upload below their tenant's id" on storage.objects
  for insert to authenticated
  with check (bucket_id = 'uploads' and (select private.may_upload(name)));

create policy "Members who see a private asset read its bytes" on storage.objects
  for select to authenticated
  using (
    bucket_id = 'documents'
    and not (select private.lists_objects())
    and (storage.foldername(name))[1] = (select private.tenant_id())::text
    and private.may_fetch(name)
  );

-- grants ---------------------------------------------------------------------------------------

grant execute on function
  private.media_advice, private.announced_type, private.adds_media(), private.create_media_asset, private.replace_media_asset,
  private.register_media, private.media_upload, private.may_upload, private.may_fetch, private.lists_objects,
  private.with_upload
to authenticated, service_role;
grant execute on function
  public.create_media_asset, public.replace_media_asset, public.register_media, public.media_upload
to authenticated;
grant select, delete on private.media_uploads to service_role;
grant select, update on private.media_sweeps to service_role;
grant select, update on private.media_settings to service_role;
grant execute on function
  public.media_advice, public.finish_media_upload, public.refuse_media_upload, public.set_image_transformations,
  public.set_storage_address
to service_role;

-- supabase/schemas/catalog/0400_categories.sql

-- Categories: a tree for finding products, and the attributes that each category requires of its products.

-- tables ---------------------------------------------------------------------------------------

create table public.categories (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  parent_id uuid,
  name text not null,
  attributes jsonb not null default '[]',
  template_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint categories_tenant_id_id_key unique (tenant_id, id),
  constraint categories_parent_id_fkey foreign key (tenant_id, parent_id)
    references public.categories (tenant_id, id),
  constraint categories_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint categories_name_is_more_than_spaces check (private.is_more_than_spaces(name))
);
comment on table public.categories is
  'The tree of categories, shared by a tenant''s marketplaces. attributes: the attributes of products in the category and in all categories below it. template_id: the template that renders its page; null for the default.';
alter table public.categories replica identity using index categories_tenant_id_id_key;

-- indexes --------------------------------------------------------------------------------------

create index categories_tenant_id_parent_id_idx on public.categories (tenant_id, parent_id);

-- functions ------------------------------------------------------------------------------------

create function private.check_category_attributes() returns trigger
language plpgsql set search_path = ''
as $$
declare
  faults jsonb;
begin
  if jsonb_typeof(new.attributes) is distinct from 'array' or jsonb_array_length(new.attributes) > 200 then
    perform private.refuse(
      'VALIDATION_ERROR', 'attributes must be a list of at most 200.', 'attributes', new.attributes
    );
  end if;
  -- The other fields of a category are short.
  perform private.bound_record(
    octet_length(new.attributes::text), 0.9, 'These attributes are too large.', 'attributes'
  );

  with definition as (
    select
      sent.position - 1 as index, sent.value,
      sent.value -> 'name' as name,
      coalesce(sent.value ->> 'type', 'text') as type,
      coalesce(sent.value -> 'options', '[]') as options,
      row_number() over (partition by sent.value ->> 'name' order by sent.position) as times
    from jsonb_array_elements(new.attributes) with ordinality as sent (value, position)
  )
  select coalesce(jsonb_agg(
    private.fault(fault.message, format('attributes[%s].%s', d.index, fault.field), d.value -> fault.field) order by d.index
  ), '[]')
  into faults
  from definition d
  cross join lateral (
    select f.field, f.message
    from (values
      (1, private.is_name(d.name, 100) is not true,
        'name', 'name must have 1 to 100 characters.'),
      (2, d.times > 1, 'name', 'name must be different for each attribute.'),
      (3, d.type not in ('text', 'number', 'boolean', 'select'),
        'type', 'type must be text, number, boolean or select.'),
      (4, coalesce(jsonb_typeof(d.value -> 'required') <> 'boolean', false), 'required', 'required must be true or false.'),
      (5, coalesce(jsonb_typeof(d.value -> 'searchable') <> 'boolean', false), 'searchable', 'searchable must be true or false.'),
      (6, jsonb_typeof(d.options) <> 'array'
          or d.type = 'select' and jsonb_array_length(d.options) not between 1 and 500
          or d.type <> 'select' and jsonb_array_length(d.options) > 0
          or exists (
            select 1 from jsonb_array_elements(d.options) as o (value)
            where private.is_name(o.value, 200) is not true
          )
          or jsonb_array_length(d.options) <> (select count(distinct o.value) from jsonb_array_elements(d.options) as o (value)),
        'options', 'options must be 1 to 500 different texts of 1 to 200 characters for the type select, and empty for other types.')
    ) as f (rank, applies, field, message)
    where f.applies
    order by f.rank
    limit 1
  ) as fault;
  perform private.refuse_all(faults);

  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'name', sent.value ->> 'name',
        'type', coalesce(sent.value ->> 'type', 'text'),
        'required', coalesce((sent.value ->> 'required')::boolean, false),
        'searchable', coalesce((sent.value ->> 'searchable')::boolean, false),
        'options', coalesce(sent.value -> 'options', '[]')
      )
      order by sent.position
    ),
    '[]'
  )
  into new.attributes
  from jsonb_array_elements(new.attributes) with ordinality as sent (value, position);
  return new;
end
$$;
comment on function private.check_category_attributes() is
  'Row trigger: checks the attributes of a category, which have a name, a type and, for select, options. Adds the defaults of missing fields.';

create function private.check_category_place() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  above uuid[];
  below integer;
begin
  -- Two valid moves at the same time could form a cycle, so moves within a tenant run one after another.
  perform private.hold('category_tree', new.tenant_id::text);

  with recursive line (id, parent_id, depth) as (
    select c.id, c.parent_id, 1
    from public.categories c
    where c.tenant_id = new.tenant_id and c.id = new.parent_id
    union all
    select c.id, c.parent_id, l.depth + 1
    from line l
    join public.categories c on c.tenant_id = new.tenant_id and c.id = l.parent_id
    where l.depth <= 10
  )
  select array_agg(l.id) into above from line l;
  if new.id = any (above || new.parent_id) then
    perform private.refuse(
      'VALIDATION_ERROR', 'parent_id must not be the category itself or one below it.', 'parent_id', to_jsonb(new.parent_id)
    );
  end if;

  with recursive branch (id, depth) as (
    select new.id, 1
    union all
    select c.id, b.depth + 1
    from branch b
    join public.categories c on c.tenant_id = new.tenant_id and c.parent_id = b.id
  )
  select max(b.depth) into below from branch b;
  if cardinality(above) + below > 10 then
    perform private.refuse(
      'VALIDATION_ERROR', 'The tree must have at most 10 levels.', 'parent_id', to_jsonb(new.parent_id)
    );
  end if;
  return new;
end
$$;
comment on function private.check_category_place() is 'Row trigger: refuses cycles and more than ten levels.';

create function private.category_attributes(tenant_id uuid, category_id uuid) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (
    with recursive line (parent_id, attributes, depth) as (
      select c.parent_id, c.attributes, 1
      from public.categories c
      where c.tenant_id = category_attributes.tenant_id and c.id = category_attributes.category_id
      union all
      select c.parent_id, c.attributes, l.depth + 1
      from line l
      join public.categories c on c.tenant_id = category_attributes.tenant_id and c.id = l.parent_id
    )
    select coalesce(jsonb_object_agg(nearest.name, nearest.definition), '{}')
    from (
      select distinct on (a.value ->> 'name') a.value ->> 'name' as name, a.value as definition
      from line l
      cross join jsonb_array_elements(l.attributes) as a (value)
      order by a.value ->> 'name', l.depth
    ) as nearest
  );
end
$$;
comment on function private.category_attributes is
  'The attributes that a category requires of its products, by name: its own and those of all categories above it. The nearest one counts if several have the same name.';

create function private.category_branch(tenant_id uuid, category_id uuid) returns uuid[]
language plpgsql stable security definer set search_path = ''
as $$
declare
  branch uuid[] := array[category_id];
  level uuid[] := branch;
begin
  loop
    select array_agg(c.id) into level
    from public.categories c
    where c.tenant_id = category_branch.tenant_id and c.parent_id = any (level);
    exit when level is null;
    branch := branch || level;
  end loop;
  return branch;
end
$$;
comment on function private.category_branch is 'A category with all categories below it.';

create function private.category_branches(tenant_id uuid, category_ids uuid[]) returns uuid[]
language plpgsql stable set search_path = ''
as $$
declare
  category_id uuid;
  branches uuid[];
begin
  if cardinality(category_ids) > 50 then
    perform private.refuse('VALIDATION_ERROR', 'category must have at most 50 ids.', 'category');
  end if;
  foreach category_id in array coalesce(category_ids, '{}') loop
    branches := branches || private.category_branch(tenant_id, category_id);
  end loop;
  return branches;
end
$$;
comment on function private.category_branches is
  'Some categories with all categories below them, in the order of the first; null for none. Refuses more than 50 with VALIDATION_ERROR.';

create function private.category_tree(category public.categories) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', category.id, 'name', category.name, 'parent_id', category.parent_id, 'attributes', category.attributes,
    'template_id', category.template_id, 'created_at', category.created_at, 'updated_at', category.updated_at,
    'children', (
      select coalesce(jsonb_agg(private.category_tree(c) order by private.sort_name(c.name) collate "C", c.id), '[]')
      from public.categories c
      where c.tenant_id = category.tenant_id and c.parent_id = category.id
    )
  );
end
$$;
comment on function private.category_tree is 'A category in the form of the API, with the categories below it as children.';

create function public.list_categories() returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  perform private.members_only();
  return (
    select jsonb_build_object(
      'categories', coalesce(
        jsonb_agg(private.category_tree(c) order by private.sort_name(c.name) collate "C", c.id)
          filter (where c.parent_id is null),
        '[]'
      ),
      'total', count(*)
    )
    from public.categories c
  );
end
$$;
comment on function public.list_categories is 'The whole category tree of the caller''s tenant, and the number of categories.';

create function public.get_category(category_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (select private.category_tree(c) from public.categories c where c.id = category_id);
end
$$;
comment on function public.get_category is 'A category with all categories below it; null if it does not exist.';

create function public.create_category(
  name text,
  parent_id uuid default null,
  attributes jsonb default '[]',
  template_id uuid default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  created public.categories;
begin
  insert into public.categories (name, parent_id, attributes, template_id)
  values (create_category.name, create_category.parent_id, create_category.attributes, create_category.template_id)
  returning * into created;
  return private.category_tree(created);
end
$$;
comment on function public.create_category is 'For admins: creates a category, below another one or at the top level.';

create function public.update_category(category_id uuid, changes jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  changed public.categories;
begin
  update public.categories c
  set name = case when changes ? 'name' then changes ->> 'name' else c.name end,
      parent_id = case when changes ? 'parent_id' then (changes ->> 'parent_id')::uuid else c.parent_id end,
      attributes = case when changes ? 'attributes' then changes -> 'attributes' else c.attributes end,
      template_id = case when changes ? 'template_id' then (changes ->> 'template_id')::uuid else c.template_id end
  where c.id = update_category.category_id and private.is_unchanged(c.updated_at, changes)
  returning * into changed;
  if changed.id is null then
    if exists (select 1 from public.categories c where c.id = update_category.category_id) then
      perform private.refuse_outdated('category', changes);
    end if;
    perform private.refuse('NOT_FOUND', 'There is no such category.');
  end if;
  return private.category_tree(changed);
end
$$;
comment on function public.update_category is
  'For admins: changes name, parent_id, attributes or template_id of a category. Fields that are not sent do not change. Refuses with CONFLICT if updated_at is sent and differs from the category''s.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.categories for each row execute function private.keep_nfc();

create trigger categories_are_changed_by_admins
  before insert or update or delete on public.categories
  for each statement execute function private.only_for('admin');

create trigger categories_check_attributes
  before insert or update of attributes on public.categories
  for each row execute function private.check_category_attributes();

create trigger categories_check_place
  before insert or update of parent_id on public.categories
  for each row when (new.parent_id is not null)
  execute function private.check_category_place();

create trigger categories_touch
  before update on public.categories
  for each row execute function private.touch();

-- policies -------------------------------------------------------------------------------------

alter table public.categories enable row level security;

create policy "Members see their tenant's categories" on public.categories
  for select to authenticated
  using (tenant_id = (select private.tenant_id()));

create policy "Admins create categories" on public.categories
  for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins change categories" on public.categories
  for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin')
  with check (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

create policy "Admins delete categories" on public.categories
  for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.tenant_role()) = 'admin');

-- grants ---------------------------------------------------------------------------------------

grant
  select, delete, insert (parent_id, name, attributes, template_id), update (parent_id, name, attributes, template_id)
  on public.categories to authenticated;
grant all on public.categories to service_role;
grant execute on function
  private.category_attributes, private.category_branch, private.category_branches, private.category_tree
  to authenticated, service_role;
grant execute on function
  public.list_categories, public.get_category, public.create_category, public.update_category
to authenticated;

-- supabase/schemas/catalog/0405_html.sql

-- HTML that callers send, reduced to a list of allowed elements. It is done here and not in the functions, because texts
-- also arrive from supabase-js and from anyone who calls a function of `public`. Whatever is sent, the result consists of
-- the tags below, each written anew and closed, with checked attributes, and of escaped text.

-- functions ------------------------------------------------------------------------------------

create function private.html_elements() returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  -- block: begins a line of the plain text. part: the same, and only inside a table. hidden: left out with its content.
  -- as div: replaced by a div, so that its line stays. Tags of other elements are left out, and their text stays.
  return jsonb '{
    "address": "as div", "article": "as div", "aside": "as div", "blockquote": "block", "center": "as div", "dd": "block",
    "details": "block", "div": "block", "dl": "block", "dt": "block", "fieldset": "as div", "figcaption": "block",
    "figure": "block", "footer": "as div", "form": "as div", "h1": "block", "h2": "block", "h3": "block", "h4": "block",
    "h5": "block", "h6": "block", "header": "as div", "hr": "void", "li": "block", "main": "as div", "nav": "as div",
    "ol": "block", "p": "block", "pre": "block", "section": "as div", "summary": "block", "table": "block", "ul": "block",
    "caption": "part", "tbody": "part", "td": "part", "tfoot": "part", "th": "part", "thead": "part", "tr": "part",
    "a": "inline", "abbr": "inline", "b": "inline", "bdi": "inline", "cite": "inline", "code": "inline", "del": "inline",
    "em": "inline", "i": "inline", "ins": "inline", "kbd": "inline", "mark": "inline", "q": "inline", "s": "inline",
    "samp": "inline", "small": "inline", "strike": "as s", "strong": "inline", "sub": "inline", "sup": "inline",
    "u": "inline", "var": "inline",
    "br": "void", "img": "void", "wbr": "void",
    "applet": "hidden", "audio": "hidden", "canvas": "hidden", "datalist": "hidden", "map": "hidden", "math": "hidden",
    "object": "hidden", "select": "hidden", "svg": "hidden", "template": "hidden", "video": "hidden"
  }';
end
$$;
comment on function private.html_elements is 'The elements of HTML that a text may have, and how others are replaced.';

create function private.named_character(name text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  -- The names of HTML 4, and those of HTML 5 that editors write.
  return jsonb '{
    "AMP":"&", "COPY":"©", "GT":">", "LT":"<", "QUOT":"\u0022", "REG":"®", "TRADE":"™", "bullet":"•",
    "AElig":"Æ", "Aacute":"Á", "Acirc":"Â", "Agrave":"À", "Alpha":"Α", "Aring":"Å", "Atilde":"Ã", "Auml":"Ä", "Beta":"Β",
    "Ccedil":"Ç", "Chi":"Χ", "Dagger":"‡", "Delta":"Δ", "ETH":"Ð", "Eacute":"É", "Ecirc":"Ê", "Egrave":"È", "Epsilon":"Ε",
    "Eta":"Η", "Euml":"Ë", "Gamma":"Γ", "Hat":"^", "Iacute":"Í", "Icirc":"Î", "Igrave":"Ì", "Iota":"Ι", "Iuml":"Ï",
    "Kappa":"Κ", "Lambda":"Λ", "Mu":"Μ", "NewLine":"\u000a", "Ntilde":"Ñ", "Nu":"Ν", "OElig":"Œ", "Oacute":"Ó",
    "Ocirc":"Ô", "Ograve":"Ò", "Omega":"Ω", "Omicron":"Ο", "Oslash":"Ø", "Otilde":"Õ", "Ouml":"Ö", "Phi":"Φ", "Pi":"Π",
    "Prime":"″", "Psi":"Ψ", "Rho":"Ρ", "Scaron":"Š", "Sigma":"Σ", "THORN":"Þ", "Tab":"\u0009", "Tau":"Τ", "Theta":"Θ",
    "Uacute":"Ú", "Ucirc":"Û", "Ugrave":"Ù", "Upsilon":"Υ", "Uuml":"Ü", "Xi":"Ξ", "Yacute":"Ý", "Yuml":"Ÿ", "Zeta":"Ζ",
    "aacute":"á", "acirc":"â", "acute":"´", "aelig":"æ", "agrave":"à", "alefsym":"ℵ", "alpha":"α", "amp":"&", "and":"∧",
    "ang":"∠", "apos":"''", "aring":"å", "ast":"*", "asymp":"≈", "atilde":"ã", "auml":"ä", "bdquo":"„", "beta":"β",
    "bigstar":"★", "blank":"␣", "brvbar":"¦", "bsol":"\u005c", "bull":"•", "cap":"∩", "ccedil":"ç", "cedil":"¸",
    "cent":"¢", "check":"✓", "checkmark":"✓", "chi":"χ", "circ":"ˆ", "clubs":"♣", "colon":":", "comma":",", "commat":"@",
    "cong":"≅", "copy":"©", "copysr":"℗", "crarr":"↵", "cross":"✗", "cup":"∪", "curren":"¤", "dArr":"⇓", "dagger":"†",
    "darr":"↓", "dash":"‐", "deg":"°", "delta":"δ", "diams":"♦", "divide":"÷", "dollar":"$", "eacute":"é", "ecirc":"ê",
    "egrave":"è", "empty":"∅", "emsp":"\u2003", "ensp":"\u2002", "epsilon":"ε", "equals":"=", "equiv":"≡", "eta":"η",
    "eth":"ð", "euml":"ë", "euro":"€", "excl":"!", "exist":"∃", "female":"♀", "fnof":"ƒ", "forall":"∀", "frac12":"½",
    "frac13":"⅓", "frac14":"¼", "frac18":"⅛", "frac23":"⅔", "frac34":"¾", "frac38":"⅜", "frac58":"⅝", "frac78":"⅞",
    "frasl":"⁄", "gamma":"γ", "ge":"≥", "grave":"`", "gt":">", "hArr":"⇔", "hairsp":"\u200a", "half":"½", "harr":"↔",
    "hearts":"♥", "hellip":"…", "hyphen":"‐", "iacute":"í", "icirc":"î", "iexcl":"¡", "igrave":"ì", "image":"ℑ",
    "infin":"∞", "int":"∫", "iota":"ι", "iquest":"¿", "isin":"∈", "iuml":"ï", "kappa":"κ", "lArr":"⇐", "lambda":"λ",
    "lang":"〈", "laquo":"«", "larr":"←", "lceil":"⌈", "lcub":"{", "ldquo":"“", "le":"≤", "lfloor":"⌊", "lowast":"∗",
    "lowbar":"_", "loz":"◊", "lpar":"(", "lrm":"\u200e", "lsaquo":"‹", "lsqb":"[", "lsquo":"‘", "lt":"<", "macr":"¯",
    "male":"♂", "mdash":"—", "micro":"µ", "middot":"·", "minus":"−", "mu":"μ", "nabla":"∇", "nbsp":"\u00a0", "ndash":"–",
    "ne":"≠", "ni":"∋", "not":"¬", "notin":"∉", "nsub":"⊄", "ntilde":"ñ", "nu":"ν", "num":"#", "numero":"№", "oacute":"ó",
    "ocirc":"ô", "oelig":"œ", "ograve":"ò", "ohm":"Ω", "oline":"‾", "omega":"ω", "omicron":"ο", "oplus":"⊕", "or":"∨",
    "ordf":"ª", "ordm":"º", "oslash":"ø", "otilde":"õ", "otimes":"⊗", "ouml":"ö", "para":"¶", "part":"∂", "percnt":"%",
    "period":".", "permil":"‰", "perp":"⊥", "phi":"φ", "phone":"☎", "pi":"π", "piv":"ϖ", "plus":"+", "plusmn":"±",
    "pound":"£", "prime":"′", "prod":"∏", "prop":"∝", "psi":"ψ", "quest":"?", "quot":"\u0022", "rArr":"⇒", "radic":"√",
    "rang":"〉", "raquo":"»", "rarr":"→", "rceil":"⌉", "rcub":"}", "rdquo":"”", "real":"ℜ", "reg":"®", "rfloor":"⌋",
    "rho":"ρ", "rlm":"\u200f", "rpar":")", "rsaquo":"›", "rsqb":"]", "rsquo":"’", "sbquo":"‚", "scaron":"š", "sdot":"⋅",
    "sect":"§", "semi":";", "shy":"\u00ad", "sigma":"σ", "sigmaf":"ς", "sim":"∼", "sol":"/", "spades":"♠", "squ":"□",
    "star":"☆", "starf":"★", "sub":"⊂", "sube":"⊆", "sum":"∑", "sup":"⊃", "sup1":"¹", "sup2":"²", "sup3":"³", "supe":"⊇",
    "szlig":"ß", "tau":"τ", "there4":"∴", "theta":"θ", "thetasym":"ϑ", "thinsp":"\u2009", "thorn":"þ", "tilde":"˜",
    "times":"×", "trade":"™", "uArr":"⇑", "uacute":"ú", "uarr":"↑", "ucirc":"û", "ugrave":"ù", "uml":"¨", "upsih":"ϒ",
    "upsilon":"υ", "uuml":"ü", "verbar":"|", "weierp":"℘", "xi":"ξ", "yacute":"ý", "yen":"¥", "yuml":"ÿ", "zeta":"ζ",
    "zwj":"\u200d", "zwnj":"\u200c"
  }' ->> name;
end
$$;
comment on function private.named_character is 'The character that HTML calls by a name, as in &nbsp;; null for an unknown name.';

create function private.referenced_character(reference text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  code integer;
begin
  if left(reference, 1) <> '#' then
    return private.named_character(reference);
  elsif reference ~ '^#[0-9]{1,7}$' then
    code := substr(reference, 2)::integer;
  elsif reference ~* '^#x[0-9a-f]{1,6}$' then
    code := ('x' || lpad(substr(reference, 3), 8, '0'))::bit(32)::integer;
  end if;
  return case
    -- Browsers read these numbers as Windows-1252, which older editors mean.
    when code between 128 and 159 then substr('€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ', code - 127, 1)
    when code = 13 then chr(10)
    when code in (9, 10) then chr(code)
    when code < 32 or code = 127 or code between 55296 and 57343 or code > 1114111 then chr(65533)
    else chr(code)
  end;
end
$$;
comment on function private.referenced_character is
  'The character that a reference such as amp or #8211 stands for; null for an unknown name.';

-- The functions below use few regular expressions: Postgres keeps 32 compiled ones in a session, and compiling takes
-- longer than all of this. With 14 of them, an import compiled all of its own again for each product, and took half as long
-- again.

create function private.without_references(encoded text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  pieces text[] := string_to_array(encoded, '&');
  written text[] := pieces[:1];
  ending integer;
  found text;
begin
  for i in 2..cardinality(pieces) loop
    ending := strpos(left(pieces[i], 33), ';');
    found := case when ending > 1 then private.referenced_character(left(pieces[i], ending - 1)) end;
    written := array_append(
      written, case when found is null then '&' || pieces[i] else found || substr(pieces[i], ending + 1) end
    );
  end loop;
  return array_to_string(written, '');
end
$$;
comment on function private.without_references is 'A text of HTML with characters in place of its references.';

create function private.is_html(words text) returns boolean
language plpgsql immutable strict set search_path = ''
as $$
declare
  names constant text :=
    '(?:a|abbr|address|applet|area|article|aside|audio|b|base|bdi|bdo|big|blockquote|body|br|button|canvas|caption|center|cite|'
    'code|col|colgroup|dd|del|details|dfn|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|frame|frameset|h[1-6]|head|'
    'header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|map|mark|math|meta|nav|noscript|object|ol|optgroup|option|p|'
    'picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|'
    'template|textarea|tfoot|th|thead|title|tr|tt|u|ul|var|video|wbr)';
  -- Attributes that are written without a value.
  flags constant text := '(?:[\s/]+(?:allowfullscreen|alt|async|autoplay|checked|compact|controls|defer|disabled|hidden|loop|muted|'
    'noshade|novalidate|nowrap|open|readonly|required|reversed|selected))';
begin
  return strpos(words, '<') > 0 and words ~* (
      '</?' || names || flags || '*\s*/?>|<' || names || flags || '*[\s/]+[a-z:@_][\w:@.-]*\s*=|<!--|<!doctype\s'
    )
    or strpos(words, '&') > 0 and exists (
      select
      from regexp_matches(words, '&(#?[0-9A-Za-z]{1,32});', 'g') as reference
      where private.referenced_character(reference[1]) is not null
    );
end
$$;
comment on function private.is_html is
  'Whether a text is HTML: it has a tag of an element of HTML, alone or with an attribute that has a value, a comment, or a reference to a character such as &amp;. So "a < b", "x <3 y" and "AT&T" are plain text.';

create function private.safe_address(address text, schemes text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  trimmed text := replace(btrim(private.without_references(address), E' \t\r\n'), ' ', '%20');
begin
  -- An address without a scheme, as many shops write those of their pictures.
  if left(trimmed, 2) = '//' then
    trimmed := 'https:' || trimmed;
  end if;
  -- Browsers drop some characters from an address or turn them into slashes, so that it leads elsewhere. A name before
  -- the host, as in https://bank.example@elsewhere.example, misleads readers.
  return case
    when char_length(trimmed) > 2000 or trimmed ~ '[[:cntrl:][:space:]\\]' then null
    when trimmed ~* ('^(?:https?://[^/?#@]+(?:[/?#]|$)|' || schemes || '/(?:[^/]|$)|[?#]|[[:alnum:]._~%-]+(?:[/?#]|$))')
      then trimmed
  end;
end
$$;
comment on function private.safe_address is
  'An address of HTML that a link or a picture may have: http, https, relative, or one of the schemes; else null.';

create function private.kept_attribute(element text, name text, value text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return case
    when name = 'href' and element = 'a' then private.safe_address(value, '(?:mailto|tel):[^:]+$|')
    when name = 'src' and element = 'img' then private.safe_address(value, '')
    when name = 'title' and element in ('a', 'abbr', 'img') or name = 'alt' and element = 'img'
      then private.without_references(value)
    when name in ('width', 'height') and element = 'img' then substring(value from '^[1-9][0-9]{0,3}$')
    when name in ('colspan', 'rowspan') and element in ('td', 'th') then substring(value from '^[1-9][0-9]{0,2}$')
    when name = 'scope' and element = 'th' and lower(value) in ('row', 'col', 'rowgroup', 'colgroup') then lower(value)
    when name = 'start' and element = 'ol' then substring(value from '^-?[0-9]{1,6}$')
    when name = 'type' and element = 'ol' and value in ('1', 'a', 'A', 'i', 'I') then value
    when name = 'dir' and lower(value) in ('ltr', 'rtl', 'auto') then lower(value)
    when name = 'lang' then substring(value from '^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$')
  end;
end
$$;
comment on function private.kept_attribute is 'The value of an attribute that an element may have; else null.';

create function private.kept_attributes(element text, tag text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  kept text := '';
  given text[];
  value text;
begin
  if strpos(tag, '=') > 0 then
    for given in
      -- {1,8}: longer than the longest name below. Without a bound, Postgres would read a long word once for each of its
      -- characters.
      select regexp_matches(tag, '([^\s"''<>/=]{1,8})\s*=\s*("[^"]*"|''[^'']*''|[^\s"''>]+)', 'g')
    loop
      given[1] := lower(given[1]);
      value := case
        when left(given[2], 1) in ('"', '''') then substr(given[2], 2, char_length(given[2]) - 2) else given[2]
      end;
      value := normalize(translate(private.kept_attribute(element, given[1], value), E'\n\t', '  '), nfc);
      if value is not null and strpos(kept, ' ' || given[1] || '="') = 0 then
        kept := kept || ' ' || given[1] || '="' || replace(private.escaped_html(value), '"', '&quot;') || '"';
      end if;
    end loop;
  end if;
  return case
    when element = 'a' and strpos(kept, ' href="') = 0 or element = 'img' and strpos(kept, ' src="') = 0 then null
    else kept
  end;
end
$$;
comment on function private.kept_attributes is
  'The attributes of a tag that its element may have, with checked and escaped values; null for a link or a picture without an allowed address.';

create function private.escaped_html(words text) returns text
language sql immutable
return replace(replace(replace(words, '&', '&amp;'), '<', '&lt;'), '>', '&gt;');
comment on function private.escaped_html is 'A text as HTML.';

create function private.without_controls(words text) returns text
language sql immutable
return translate(
  words,
  E'\u000c\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\u000b\u000d\u000e\u000f\u0010\u0011\u0012\u0013'
  '\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f\u007f',
  ' '
);
comment on function private.without_controls is
  'A text with a blank for each form feed, and without other control characters than tabs and line feeds.';

create function private.without_comments(source text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  folded text := lower(source);
begin
  if strpos(source, '<!') + strpos(source, '<?') + strpos(folded, '<script') + strpos(folded, '<style')
    + strpos(folded, '<title') + strpos(folded, '<textarea') + strpos(folded, '<iframe') + strpos(folded, '<no')
    + strpos(folded, '<xmp') + strpos(folded, '<plaintext') = 0
  then
    return source;
  end if;
  -- {1,1}? makes each match as short as possible.
  return regexp_replace(
    source,
    '(?:<!--(?:-?>|.*?(?:--!?>|$))|<!(?!--).*?(?:>|$)|<\?.*?(?:>|$)|<script[\s/>].*?(?:</script.*?>|$)'
    '|<style[\s/>].*?(?:</style.*?>|$)|<title[\s/>].*?(?:</title.*?>|$)|<textarea[\s/>].*?(?:</textarea.*?>|$)'
    '|<iframe[\s/>].*?(?:</iframe.*?>|$)|<noscript[\s/>].*?(?:</noscript.*?>|$)|<noembed[\s/>].*?(?:</noembed.*?>|$)'
    '|<noframes[\s/>].*?(?:</noframes.*?>|$)|<xmp[\s/>].*?(?:</xmp.*?>|$)|<plaintext[\s/>].*?$){1,1}?',
    '', 'gi'
  );
end
$$;
comment on function private.without_comments is
  'HTML without comments and declarations, and without elements whose content is no HTML, such as scripts and styles.';

create function private.last_open(open text[], wanted text[], barriers text[]) returns integer
language plpgsql immutable set search_path = ''
as $$
begin
  for i in reverse cardinality(open)..1 loop
    if open[i] = any (wanted) then
      return i;
    elsif open[i] = any (barriers) then
      return 0;
    end if;
  end loop;
  return 0;
end
$$;
comment on function private.last_open is 'The position of the last wanted element among open ones, 0 if a barrier or nothing comes first.';

create function private.ended_by(name text, kind text, is_end boolean, open text[]) returns integer
language plpgsql immutable set search_path = ''
as $$
begin
  return coalesce(nullif(case
    when is_end and (kind = 'part' or name = 'table') then private.last_open(open, array[name], array['table'])
    when is_end then private.last_open(open, array[name], array['td', 'th', 'caption'])
    when name = 'li' then private.last_open(open, array['li'], array['ul', 'ol', 'table', 'td', 'th'])
    when name in ('dt', 'dd') then private.last_open(open, array['dt', 'dd'], array['dl', 'table', 'td', 'th'])
    when name in ('td', 'th') then private.last_open(open, array['td', 'th', 'caption'], array['tr', 'table'])
    when name = 'tr' then private.last_open(open, array['tr', 'caption'], array['table'])
    when kind = 'part' then private.last_open(open, array['thead', 'tbody', 'tfoot', 'caption'], array['table'])
    when name = 'a' then private.last_open(open, array['a'], array['td', 'th', 'caption'])
    when 'p' = any (open) then private.last_open(open, array['p'], array['td', 'th', 'caption', 'table'])
  end, 0), cardinality(open) + 1);
end
$$;
comment on function private.ended_by is
  'The position of the first open element that a tag ends, with all after it; beyond the last if it ends none. Start tags end what HTML lets writers leave open.';

create function private.read_tag(
  pieces text[], first integer, out words text, out name text, out ending integer, out last integer
)
language plpgsql immutable set search_path = ''
as $$
declare
  -- What is before the > of a tag, except for a value whose quote has no end yet.
  outside constant text := '^(?:[^>=]|=\s*"[^"]*"|=\s*''[^'']*''|=(?!\s*["'']))*';
  tag constant text := outside || '>';
  unended_value constant text := outside || '=\s*("[^"]*|''[^'']*)$';
  read text[] := '{}'::text[]; -- Before rest.
  rest text := pieces[first];
  quote text;
  ended integer;
begin
  ending := strpos(rest, '>');
  if ending = 0 or strpos(left(rest, ending), '=') > 0 then
    ending := null;
    for i in first..cardinality(pieces) loop
      last := i;
      if i > first then
        read := array_append(read, rest || '<');
        rest := pieces[i];
      end if;
      if quote is not null then
        ended := strpos(rest, quote);
        continue when ended = 0;
        read := array_append(read, left(rest, ended));
        rest := substr(rest, ended + 1);
        quote := null;
      end if;
      ending := char_length(substring(rest from tag));
      exit when ending > 0;
      quote := left(substring(rest from unended_value), 1);
    end loop;
    words := array_to_string(read, '');
    ending := char_length(words) + ending;
    words := words || rest;
    if ending is null then
      -- A value without an end would be all that follows, as it is in browsers. Here the first > ends its tag.
      last := first;
      while last < cardinality(pieces) and strpos(pieces[last], '>') = 0 loop
        last := last + 1;
      end loop;
      words := array_to_string(pieces[first:last], '<');
      ending := nullif(strpos(words, '>'), 0);
    end if;
  else
    words := rest;
    last := first;
  end if;
  name := left(words, ending - 1);
  name := case when left(name, 1) = '/' then substr(name, 2) else name end;
  name := lower(split_part(translate(name, E'/>\t\n', '    '), ' ', 1));
end
$$;
comment on function private.read_tag is
  'A tag of HTML without its <, with the words after it, from pieces that were separated by <: its name, the position of its >, null if it has none, and the last of its pieces.';

create function private.html_of_words(words text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  if strpos(words, '&') + strpos(words, '<') + strpos(words, '>') = 0 and octet_length(words) = char_length(words) then
    return words;
  end if;
  -- NFC makes one character of > and U+0338. The tag before it would not end, and words would be attributes.
  return replace(private.escaped_html(private.nfc(private.without_references(words))), E'\u0338', '&#824;');
end
$$;
comment on function private.html_of_words is 'Words between tags, which may have references, as HTML.';

create function private.hidden_after(hidden text[], name text, is_end boolean, is_alone boolean) returns text[]
language plpgsql immutable set search_path = ''
as $$
begin
  return case
    when is_end and hidden[1] = name then hidden[2:]
    when is_end or is_alone or hidden[1] <> name or cardinality(hidden) >= 100 then hidden
    else array_append(hidden, name)
  end;
end
$$;
comment on function private.hidden_after is
  'The open elements whose content is left out, after a tag. All have the name of the first.';

create function private.end_tags(open text[]) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  tags text := '';
begin
  for i in 1..cardinality(open) loop
    tags := '</' || open[i] || '>' || tags;
  end loop;
  return tags;
end
$$;
comment on function private.end_tags is 'The end tags of open elements, the last first.';

create function private.reduced_html(source text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  letters constant text := '/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  elements constant jsonb := private.html_elements();
  pieces text[] := string_to_array(private.without_comments(private.without_controls(source)), '<');
  piece text;
  words text; -- The text after the tag.
  name text;
  kind text;
  ending integer; -- The position of the > of the tag.
  is_end boolean;
  last integer := 0; -- The last piece of the tag.
  ended integer; -- The first open element that the tag ends.
  open text[] := '{}'::text[];
  hidden text[] := '{}'::text[];
  written text[] := '{}'::text[];
begin
  for i in 1..cardinality(pieces) loop
    continue when i <= last;
    piece := pieces[i];
    is_end := left(piece, 1) = '/';
    kind := null;
    words := case when i = 1 then piece else '<' || piece end;
    -- Each piece but the first may begin with a tag.
    if i > 1 and piece <> '' and strpos(letters, left(piece, 1)) > 0 then
      ending := strpos(piece, '>');
      name := substr(piece, 1 + is_end::integer, greatest(ending - 1 - is_end::integer, 0));
      kind := elements ->> name;
      if kind is null then
        select t.words, t.name, t.ending, t.last into piece, name, ending, last from private.read_tag(pieces, i) as t;
        exit when ending is null;
        kind := elements ->> name;
      end if;
      words := substr(piece, ending + 1);
    end if;
    if kind like 'as %' then
      name := substr(kind, 4);
      kind := elements ->> name;
    end if;

    if kind = 'hidden' then
      hidden := private.hidden_after(hidden, name, is_end, substr(piece, ending - 1, 1) = '/');
    elsif hidden = '{}' and kind is not null and (kind <> 'part' or 'table' = any (open)) then
      ended := case -- The usual cases need no call.
        when is_end and open[cardinality(open)] = name then cardinality(open)
        when open = '{}' or not is_end and kind in ('inline', 'void') and name not in ('a', 'hr') then cardinality(open) + 1
        else private.ended_by(name, kind, is_end, open)
      end;
      if ended <= cardinality(open) then
        written := array_append(written, private.end_tags(open[ended:]));
        open := open[:ended - 1];
      end if;
      piece := case -- Elements more than 32 levels deep are left out, and their text stays.
        when is_end or kind <> 'void' and cardinality(open) >= 32 then null
        when strpos(piece, '=') between 1 and ending or name in ('a', 'img')
          then private.kept_attributes(name, left(piece, ending - 1))
        else ''
      end;
      if piece is not null then
        written := array_append(written, '<' || name || piece || '>');
        open := case when kind = 'void' then open else array_append(open, name) end;
      end if;
    end if;
    if words <> '' and hidden = '{}' then
      words := private.html_of_words(case
        when kind = 'block' and name = 'pre' and not is_end then regexp_replace(words, '^\n', '') else words
      end);
      written := array_append(written, case when 'pre' = any (open) then replace(words, E'\n', '<br>') else words end);
    end if;
  end loop;
  return private.nfc(btrim(array_to_string(written, '') || private.end_tags(open), E' \t\n'));
end
$$;
comment on function private.reduced_html is 'HTML as it may be shown in a page.';

create function private.without_repeated(words text, letter text, most integer) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  -- Each round shortens all repetitions by a third or more.
  while strpos(words, repeat(letter, most + 1)) > 0 loop
    words := replace(words, repeat(letter, most + 1), repeat(letter, most));
  end loop;
  return words;
end
$$;
comment on function private.without_repeated is 'A text in which a letter stands at most so many times in succession.';

create function private.words_of_html(html text) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  words text := replace(html, '<br>', E'\u0002');
begin
  -- Reduced HTML has no < and > but those of its tags. \u0001 is the begin or the end of a block, \u0002 a line break.
  words := regexp_replace(
    words,
    '</?(?:p|div|li|[uod]l|h[1-6r]|table|caption|t(?:r|head|body|foot)|d[dt]|pre|blockquote|fig(?:ure|caption)|details'
    '|summary)(?: [^>]*)?>',
    E'\u0001', 'g'
  );
  words := regexp_replace(replace(replace(words, '<td', ' <td'), '<th', ' <th'), '<[^>]*>', '', 'g');
  words := private.without_repeated(translate(words, E'\t\n\u000c\u00a0', '    '), ' ', 1);
  words := replace(replace(words, E' \u0001', E'\u0001'), E'\u0001 ', E'\u0001');
  words := private.without_repeated(words, E'\u0001', 1);
  if strpos(words, E'\u0002') > 0 then
    words := replace(replace(words, E' \u0002', E'\u0002'), E'\u0002 ', E'\u0002');
    words := translate(replace(words, E'\u0002\u0001', E'\u0001'), E'\u0001\u0002', E'\n\n');
    words := private.without_repeated(words, E'\n', 2);
  end if;
  words := translate(words, E'\u0001', E'\n');
  words := replace(replace(replace(words, '&lt;', '<'), '&gt;', '>'), '&#824;', E'\u0338');
  return private.nfc(btrim(replace(words, '&amp;', '&'), E' \n'));
end
$$;
comment on function private.words_of_html is
  'The text of reduced HTML, in which blocks, rows of tables, items of lists and line breaks are lines.';

create function private.settle_html(inout plain text, inout html text, field text)
language plpgsql immutable security definer set search_path = ''
as $$
declare
  source text := coalesce(nullif(html, ''), case when char_length(plain) <= 200000 and private.is_html(plain) then plain end);
begin
  html := null;
  if char_length(source) > 200000 then
    perform private.refuse(
      'VALIDATION_ERROR', format('%s must have at most 200000 characters of HTML.', field), field, 'null'
    );
  elsif source is not null then
    html := private.reduced_html(source);
    -- Some editors save only characters as HTML, and lines as lines.
    if strpos(html, '<p>') = 0 and html !~ '<(?:br|p|div|li|[uod]l|h[1-6r]|table|pre|blockquote|figure|details)[ >]' then
      html := replace(html, E'\n', '<br>');
    end if;
    plain := private.words_of_html(html);
    if plain = '' and strpos(html, '<img ') = 0 then
      html := null;
    end if;
  end if;
end
$$;
comment on function private.settle_html is
  'A text and its HTML as they are stored: from html, else from a plain text that is HTML. html is null for a plain text.';

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.settle_html to authenticated, service_role;

-- supabase/schemas/catalog/0410_products.sql

-- Products with their variants and stock, and the changes of status that follow from the stock.

create type public.product_kind as enum ('physical', 'digital', 'service');
create type public.product_status as enum ('draft', 'active', 'inactive', 'out_of_stock', 'discontinued');

-- tables ---------------------------------------------------------------------------------------

create table public.products (
  id uuid default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id() references public.tenants (id) on delete cascade,
  marketplace_id uuid not null default private.sole_marketplace_id(),
  supplier_id uuid default private.supplier_id(),
  category_id uuid,
  external_id text,
  kind public.product_kind not null default 'physical',
  track_inventory boolean not null default true,
  name text not null,
  slug text not null default '',
  description text not null default '',
  description_html text,
  price numeric not null,
  currency text not null,
  images jsonb not null default '[]',
  attributes jsonb not null default '[]',
  brand text,
  attribute_values jsonb default '{}',
  physical jsonb,
  template_id uuid,
  status public.product_status not null default 'active',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  lowest_price numeric not null default 0,
  highest_price numeric not null default 0,
  -- Includes all columns that lists filter and count by, so that results are counted from the index alone.
  constraint products_pkey primary key (id) include (
    tenant_id, category_id, lowest_price, highest_price, status, marketplace_id, supplier_id, brand, created_at, updated_at,
    attribute_values
  ),
  constraint products_tenant_id_id_key unique (tenant_id, id),
  -- One foreign key for both. With two keys between the same tables, PostgREST cannot choose the one to join by.
  constraint products_marketplace_id_fkey foreign key (tenant_id, marketplace_id, currency)
    references public.marketplaces (tenant_id, id, currency),
  constraint products_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id),
  -- Only discontinued products lose a deleted category: see check_category_is_empty.
  constraint products_category_id_fkey foreign key (tenant_id, category_id)
    references public.categories (tenant_id, id) on delete set null (category_id),
  constraint products_external_id_is_1_to_200_characters check (char_length(external_id) between 1 and 200),
  constraint products_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint products_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint products_description_is_at_most_50000_characters check (char_length(description) <= 50000),
  constraint products_description_html_is_at_most_50000_characters check (char_length(description_html) <= 50000),
  constraint products_price_is_not_negative check (price >= 0 and price < 1e12),
  constraint products_price_is_of_at_most_4_decimals check (scale(price) <= 4),
  constraint products_track_inventory_is_right_for_the_kind
    check (case kind when 'physical' then track_inventory when 'service' then not track_inventory else true end),
  constraint products_physical_is_for_physical_products check (physical is null or kind = 'physical')
);
comment on table public.products is
  'Products for sale. A product without a supplier is the operator''s own. slug: its readable address, unique per marketplace; an empty one is made from the name. Its currency is the currency of its marketplace; its brand is the attribute of that name. attribute_values: its attributes'' values by name, without empty ones, so that lists can filter by them; null if they take over 1,000 bytes. description: plain text; description_html: the same as safe HTML, if the seller sent HTML. template_id: the template that renders its page; null for the default. lowest_price and highest_price: of its variants, or its own price without variants; triggers maintain them.';

create table private.product_counts (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  supplier_id uuid,
  products bigint not null,
  counted_at timestamptz not null,
  when_all_were_counted bigint not null,
  constraint supplier_id_is_unique_in_product_counts unique nulls not distinct (tenant_id, supplier_id),
  constraint product_counts_supplier_id_fkey foreign key (tenant_id, supplier_id)
    references public.suppliers (tenant_id, id) on delete cascade
);
comment on table private.product_counts is
  'The number of products of each supplier before counted_at, without discontinued ones. Later products are few enough to be counted each time. when_all_were_counted: the number at the last full count.';
-- The whole row identifies it for replication, because supplier_id may be null.
alter table private.product_counts replica identity full;

create table public.product_variants (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null default private.tenant_id(),
  product_id uuid not null,
  -- Never null, because a trigger sets it. `not null` would make generated types require it.
  marketplace_id uuid,
  supplier_id uuid,
  name text not null,
  sku text,
  sku_is_unique boolean not null default true,
  price numeric,
  position integer not null default 0,
  created_at timestamptz not null default now(),
  constraint product_variants_tenant_id_product_id_id_key unique (tenant_id, product_id, id),
  constraint product_variants_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint product_variants_marketplace_id_is_that_of_the_product check (marketplace_id is not null),
  constraint product_variants_name_is_1_to_200_characters check (char_length(name) between 1 and 200),
  constraint product_variants_name_is_more_than_spaces check (private.is_more_than_spaces(name)),
  constraint product_variants_sku_is_1_to_255_characters check (char_length(sku) between 1 and 255),
  constraint product_variants_price_is_not_negative check (price >= 0 and price < 1e12),
  constraint product_variants_price_is_of_at_most_4_decimals check (scale(price) <= 4),
  -- Deferrable, so that it is checked at the end of the statement: two variants may swap their names. Unique constraints
  -- do not support expressions, so it is an exclusion constraint.
  constraint name_is_unique_in_product_variants
    exclude using btree (product_id with =, (private.folded_name(name)) with =) deferrable
);
comment on table public.product_variants is
  'Variants of products. A variant without a price has the price of the product. marketplace_id and supplier_id are copied from the product. sku_is_unique: whether no other variant of the supplier in the marketplace may have the sku, as the tenant''s settings said when it was set.';
alter table public.product_variants replica identity using index product_variants_tenant_id_product_id_id_key;

create table public.inventory (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null,
  product_id uuid not null,
  variant_id uuid,
  quantity integer not null default 0,
  reserved integer not null default 0,
  updated_at timestamptz not null default now(),
  constraint inventory_product_id_variant_id_key unique nulls not distinct (product_id, variant_id),
  constraint inventory_product_id_fkey foreign key (tenant_id, product_id)
    references public.products (tenant_id, id) on delete cascade,
  constraint inventory_variant_id_fkey foreign key (tenant_id, product_id, variant_id)
    references public.product_variants (tenant_id, product_id, id) on delete cascade,
  constraint inventory_reserved_is_not_negative check (reserved >= 0),
  constraint inventory_quantity_is_at_least_what_is_reserved check (quantity >= reserved)
);
comment on table public.inventory is
  'The stock: pieces in stock and pieces reserved by orders. One row for the product and one for each variant. A product with variants is sold only by them, and its own row is not used.';

alter table public.products replica identity full;
alter table public.inventory replica identity full;
alter publication supabase_realtime add table public.products, public.inventory;

-- indexes --------------------------------------------------------------------------------------

-- The seller's id of a product. A discontinued product releases its id.
create unique index external_id_is_unique_in_products
  on public.products (tenant_id, marketplace_id, external_id, supplier_id) nulls not distinct
  where external_id is not null and status <> 'discontinued';
-- Without variants that have no sku. With them, a cached plan from when there were hardly any variants would use this
-- index to find the variants of a product, and read all of the tenant's.
create unique index sku_is_unique_in_product_variants
  on public.product_variants (tenant_id, marketplace_id, sku, supplier_id) nulls not distinct where sku is not null and sku_is_unique;
-- Includes all columns that a list filters and counts by, so that products of a marketplace are counted without reading rows.
create index products_marketplace_idx on public.products (tenant_id, marketplace_id, currency)
  include (id, category_id, lowest_price, highest_price, status, supplier_id, brand, created_at, updated_at, attribute_values);
create index products_supplier_idx on public.products (tenant_id, supplier_id, created_at);
create index inventory_product_idx on public.inventory (tenant_id, product_id, variant_id);

-- views ----------------------------------------------------------------------------------------

-- With its owner's rights: callers who see a product may see its stock, and no policy has to look up the product again.
-- It is only joined to products that the caller sees.
create view private.product_stocks as
select
  i.tenant_id, i.product_id,
  coalesce(sum(i.quantity) filter (where i.variant_id is not null), sum(i.quantity)) as quantity,
  coalesce(sum(i.reserved) filter (where i.variant_id is not null), sum(i.reserved)) as reserved,
  bool_or(i.variant_id is not null) as has_variants
from public.inventory i
group by i.tenant_id, i.product_id;
comment on view private.product_stocks is
  'The pieces in stock of each product, and the reserved ones. For a product with variants: the sums of its variants.';

-- functions ------------------------------------------------------------------------------------

create function private.explain_stock_change(reason text, note text default null, order_id uuid default null)
returns void
language plpgsql set search_path = ''
as $$
begin
  perform set_config(
    'souk.stock_change',
    jsonb_build_object('reason', reason, 'note', note, 'order_id', order_id)::text,
    true
  );
end
$$;
comment on function private.explain_stock_change is
  'Sets the reason for the next changes of stock, until the end of the transaction or the next call. The ledger records it.';

-- The only definition of this rule. It has no SET clause, so that Postgres inlines it into queries. Its body is parsed
-- at creation, so that the caller's search_path cannot change its meaning.
create function private.is_shown_to(
  viewer public.member_role, own_supplier uuid, active_marketplaces uuid[],
  supplier_id uuid, marketplace_id uuid, status public.product_status
) returns boolean
language sql immutable
return case viewer
  when 'customer' then status = 'active' and marketplace_id = any (active_marketplaces)
  when 'supplier' then supplier_id = own_supplier
  -- The same as private.reads_all. Calling it would use the argument twice, which prevents inlining.
  when 'admin' then true
  when 'client' then true
  else false
end;
comment on function private.is_shown_to is
  'Whether a member sees a product of its tenant: admins and clients all, suppliers their own, customers active products.';

create function private.check_category_is_empty() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  reason text := case
    when exists (
      select 1 from public.categories c where c.tenant_id = old.tenant_id and c.parent_id = old.id
    ) then 'The category has categories below it. Move or delete them first.'
    when exists (
      select 1 from public.products p
      where p.tenant_id = old.tenant_id and p.category_id = old.id and p.status <> 'discontinued'
    ) then 'The category has products. Move them first.'
  end;
begin
  -- If the tenant itself is deleted, all its rows are deleted.
  if reason is not null and exists (select 1 from public.tenants t where t.id = old.tenant_id) then
    perform private.refuse('CONFLICT', reason);
  end if;
  return old;
end
$$;
comment on function private.check_category_is_empty() is
  'Row trigger: refuses with CONFLICT to delete a category with children or products.';

create function private.check_price() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  exponent smallint;
begin
  if tg_table_name = 'products' then
    select c.exponent into exponent from private.currencies c where c.code = new.currency;
  else
    select c.exponent into exponent
    from public.products p
    join private.currencies c on c.code = p.currency
    where p.id = new.product_id;
  end if;
  if scale(trim_scale(new.price)) > exponent then
    perform private.refuse(
      'VALIDATION_ERROR', format('price must have at most %s decimals in this currency.', exponent),
      'price', to_jsonb(new.price)
    );
  end if;
  -- `numeric` keeps trailing zeros, so the price is rounded. An unknown currency is refused by the foreign key.
  new.price := round(new.price, coalesce(exponent, 4));
  return new;
end
$$;
comment on function private.check_price() is
  'Row trigger: refuses a price with more decimals than its currency has, and stores it with exactly that number of decimals.';

create function private.adopt_currency() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  settled text;
begin
  if new.marketplace_id is not null then
    select m.currency into settled
    from public.marketplaces m
    where m.tenant_id = new.tenant_id and m.id = new.marketplace_id;
    if not found then
      perform private.refuse(
        'NOT_FOUND', 'There is no such marketplace.', 'marketplace_id', to_jsonb(new.marketplace_id)
      );
    end if;
    perform private.insist(
      coalesce(new.currency, settled) = settled, 'currency', 'the marketplace''s', to_jsonb(new.currency)
    );
    new.currency := settled;
  end if;
  return new;
end
$$;
comment on function private.adopt_currency() is
  'Row trigger: sets the currency of a product or a campaign to that of its marketplace.';

create function private.count_products(tenant_id uuid, supplier_id uuid, anew boolean) returns bigint
-- The session caches the plan, also from when there were no products. It must not scan the table when there are many.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  kept private.product_counts;
  since bigint;
  own bigint;
begin
  select * into kept
  from private.product_counts c
  where c.tenant_id = count_products.tenant_id and c.supplier_id is not distinct from count_products.supplier_id;
  if found and not anew then
    select count(*) filter (where p.created_at < now()), count(*) filter (where p.created_at >= now())
    into since, own
    from (
      select p.created_at from public.products p
      where p.tenant_id = count_products.tenant_id and p.supplier_id = count_products.supplier_id and p.created_at >= kept.counted_at
      union all
      select p.created_at from public.products p
      where count_products.supplier_id is null
        and p.tenant_id = count_products.tenant_id and p.supplier_id is null and p.created_at >= kept.counted_at
    ) as p;
    kept.products := kept.products + since;
    if since + own <= 300 then
      return kept.products + own;
    end if;
  end if;

  -- Counting 40,000 products takes 30 ms. So all are counted only when the number may have grown by a tenth. Until then
  -- the sum lacks products that other transactions were adding during the count.
  if anew or (kept.products <= 1.1 * kept.when_all_were_counted) is not true then
    select count(*) filter (where p.created_at < now()), count(*) filter (where p.created_at >= now())
    into kept.products, own
    from (
      select p.created_at from public.products p
      where p.tenant_id = count_products.tenant_id and p.supplier_id = count_products.supplier_id and p.status <> 'discontinued'
      union all
      select p.created_at from public.products p
      where count_products.supplier_id is null and p.tenant_id = count_products.tenant_id and p.supplier_id is null and p.status <> 'discontinued'
    ) as p;
    kept.when_all_were_counted := kept.products;
  end if;
  -- Another transaction that counts at the same time stores its own result, so nothing waits here.
  perform 1 from private.product_counts c
  where c.tenant_id = count_products.tenant_id and c.supplier_id is not distinct from count_products.supplier_id
  for update skip locked;
  if found then
    update private.product_counts c
    set products = kept.products, counted_at = now(), when_all_were_counted = kept.when_all_were_counted
    where c.tenant_id = count_products.tenant_id and c.supplier_id is not distinct from count_products.supplier_id;
  else
    insert into private.product_counts (tenant_id, supplier_id, products, counted_at, when_all_were_counted)
    values (tenant_id, supplier_id, kept.products, now(), kept.when_all_were_counted)
    on conflict on constraint supplier_id_is_unique_in_product_counts do nothing;
  end if;
  return kept.products + own;
end
$$;
comment on function private.count_products is
  'The number of products of a supplier (null: the operator), without those discontinued before the last count. Updates the stored count after three hundred new products. Counts all products if anew is set, and when the number has grown by a tenth.';

create function private.check_supplier_room() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  added_to record;
  most bigint := private.cap('products_per_supplier');
  cached text[] := string_to_array(current_setting('souk.product_room', true), ' ');
  owner text;
  room bigint;
begin
  for added_to in
    select a.tenant_id, a.supplier_id, count(*) as products from added a group by a.tenant_id, a.supplier_id
  loop
    owner := concat(added_to.tenant_id, '/', added_to.supplier_id);
    -- An import adds products one by one, so the limit is computed once per statement.
    room := case
      when cached[1] = owner then cached[2]::bigint - added_to.products
      else most - private.count_products(added_to.tenant_id, added_to.supplier_id, false)
    end;
    if room < 0 then
      room := most - private.count_products(added_to.tenant_id, added_to.supplier_id, true);
    end if;
    if room < 0 then
      perform private.refuse_beyond(
        'products_per_supplier', format('A supplier must have at most %s products. Discontinue some of them first.', most)
      );
    end if;
    cached := array[owner, room::text];
  end loop;
  perform set_config('souk.product_room', array_to_string(cached, ' '), true);
  return null;
end
$$;
comment on function private.check_supplier_room() is
  'Statement trigger: refuses with LIMIT_REACHED more products than a supplier may have. Concurrent transactions may together exceed the limit by the products that they add.';

create function private.open_inventory() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_table_name = 'products' then
    insert into public.inventory (tenant_id, product_id) select c.tenant_id, c.id from changed c;
  else
    insert into public.inventory (tenant_id, product_id, variant_id)
    select c.tenant_id, c.product_id, c.id from changed c;
  end if;
  return null;
end
$$;
comment on function private.open_inventory() is 'Statement trigger: creates the stock row of new products and variants.';

create function private.follow_stock() returns trigger
-- The session caches its plans, also from when there were few rows. The plans must look rows up one by one.
language plpgsql security definer set search_path = ''
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  affected uuid[];
begin
  if tg_op = 'UPDATE' then
    select array_agg(distinct moved.product_id) into affected
    from (
      select c.id, c.product_id
      from (
        select n.id, n.product_id, n.quantity > n.reserved as available from new_inventory n
        union all
        select o.id, o.product_id, o.quantity > o.reserved from old_inventory o
      ) as c
      group by c.id, c.product_id
      having bool_or(c.available) <> bool_and(c.available)
    ) as moved;
  elsif tg_op = 'INSERT' then
    -- After its first variant is added, a product is no longer sold from its own stock.
    select array_agg(distinct n.product_id) into affected from new_inventory n where n.variant_id is not null;
    if affected is null then
      return null;
    end if;
    select array_agg(own.product_id) into affected
    from public.inventory own
    where own.product_id = any (affected) and own.variant_id is null and own.quantity > own.reserved;
  else
    select array_agg(distinct o.product_id) into affected from old_inventory o;
  end if;
  if affected is null then
    return null;
  end if;

  -- Two variants may run out in two transactions at the same time. The lock makes the second count after the first has
  -- committed. Locks are taken in the order of ids, which prevents deadlocks.
  perform 1 from public.products p where p.id = any (affected) order by p.id for no key update;

  update public.products p
  set status = case when s.quantity > s.reserved then 'active' else 'out_of_stock' end::public.product_status
  from private.product_stocks s
  where s.product_id = any (affected)
    and p.id = s.product_id
    and p.track_inventory
    and p.status = case when s.quantity > s.reserved then 'out_of_stock' else 'active' end::public.product_status;
  return null;
end
$$;
comment on function private.follow_stock() is
  'Statement trigger: a product with a stock becomes out_of_stock when its last available piece is gone, and active again when pieces are available.';

create function private.check_product_start() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- Imports may also create inactive products, because exports include them.
  if current_user in ('anon', 'authenticated')
    and not (
      new.status = 'inactive'
      and coalesce(nullif(current_setting('souk.stock_change', true), '')::jsonb ->> 'reason' = 'import', false)
    )
  then
    perform private.refuse(
      'VALIDATION_ERROR', 'status of a new product must be draft or active.', 'status', to_jsonb(new.status)
    );
  end if;
  return new;
end
$$;
comment on function private.check_product_start() is 'Row trigger: a new product must be draft or active.';

create function private.keep_discontinued_product() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- Triggers may still change it: its category may be deleted, and orders may return stock. Users may not.
  if current_user in ('anon', 'authenticated') then
    perform private.refuse(
      'INVALID_TRANSITION', 'A discontinued product cannot change.', 'status', to_jsonb(new.status)
    );
  end if;
  return new;
end
$$;
comment on function private.keep_discontinued_product() is 'Row trigger: refuses changes of a discontinued product by users.';

create function private.check_product_move() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- Only follow_stock moves a product to and from out_of_stock, not users.
  if current_user in ('anon', 'authenticated')
    and old.status is distinct from new.status
    and (new.status = 'out_of_stock' or old.status = 'out_of_stock' and new.status <> 'discontinued')
  then
    perform private.refuse(
      'INVALID_TRANSITION', 'out_of_stock follows from the stock and cannot be set. Change the stock instead.',
      'status', to_jsonb(new.status)
    );
  end if;
  -- A product without a stock cannot be out of stock.
  if not new.track_inventory and new.status = 'out_of_stock' then
    new.status := 'active';
  end if;
  perform private.require_move('products', 'status', old.status::text, new.status::text);
  return new;
end
$$;
comment on function private.check_product_move() is
  'Row trigger: refuses a move of the status that is not a row of status_moves, and to set out_of_stock directly.';

create function private.adopt_seller() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  select p.marketplace_id, p.supplier_id into new.marketplace_id, new.supplier_id
  from public.products p
  where p.tenant_id = new.tenant_id and p.id = new.product_id;
  return new;
end
$$;
comment on function private.adopt_seller() is 'Row trigger: copies the marketplace and supplier of the product to its variant.';

create function private.hand_on_seller() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.product_variants v
  set marketplace_id = new.marketplace_id, supplier_id = new.supplier_id
  where v.tenant_id = new.tenant_id and v.product_id = new.id;
  return null;
end
$$;
comment on function private.hand_on_seller() is
  'Row trigger: copies a product''s new marketplace or supplier to its variants.';

create function private.product_columns(action text) returns text
language sql stable set search_path = ''
as $$
  select string_agg(format('%I', a.attname), ', ' order by a.attnum)
  from pg_catalog.pg_attribute a
  where a.attrelid = 'public.products'::regclass and a.attnum > 0 and not a.attisdropped
    and has_column_privilege('authenticated', a.attrelid, a.attnum, action)
$$;
comment on function private.product_columns is
  'The columns of products that sellers may insert or update, for statements with all of them. The grants are their only list.';

create function private.has_unique_skus(settings jsonb) returns boolean
language sql immutable set search_path = ''
return coalesce((settings #>> '{catalog,unique_skus}')::boolean, true);
comment on function private.has_unique_skus(jsonb) is
  'Whether a tenant''s settings say that variants of a supplier in a marketplace have different skus. They do unless unique_skus is false.';

create function private.has_unique_skus(tenant_id uuid) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
begin
  return coalesce(
    (select private.has_unique_skus(t.settings) from public.tenants t where t.id = has_unique_skus.tenant_id), true
  );
end
$$;
comment on function private.has_unique_skus(uuid) is 'The same for a tenant.';

create function private.check_catalog_settings() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.insist_on_keys(new.settings -> 'catalog', 'settings.catalog', array['unique_skus']);
  perform private.insist(
    coalesce(jsonb_typeof(new.settings #> '{catalog,unique_skus}'), 'boolean') = 'boolean',
    'settings.catalog.unique_skus', 'true or false', new.settings #> '{catalog,unique_skus}'
  );
  return new;
end
$$;
comment on function private.check_catalog_settings() is 'Row trigger: refuses a unique_skus that is not true or false.';

create function private.settle_sku() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.sku_is_unique := private.has_unique_skus(new.tenant_id);
  if not new.sku_is_unique then
    -- A change of the setting waits for this transaction, or this waits for that one and reads what it wrote.
    perform 1 from public.tenants t where t.id = new.tenant_id for share;
    new.sku_is_unique := private.has_unique_skus(new.tenant_id);
  end if;
  return new;
end
$$;
comment on function private.settle_sku() is 'Row trigger: whether a new sku has to be unique, as the tenant''s settings say.';

create function private.require_unique_skus() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  repeated text;
begin
  update public.product_variants v
  set sku_is_unique = true
  where v.tenant_id = new.id and not v.sku_is_unique;
  return null;
exception
  when unique_violation then
    select v.sku into repeated
    from public.product_variants v
    where v.tenant_id = new.id and v.sku is not null
    group by v.marketplace_id, v.supplier_id, v.sku
    having count(*) > 1
    order by v.sku
    limit 1;
    perform private.refuse(
      'CONFLICT', format('Several variants of a supplier have the sku %s. Give them different ones first.', repeated),
      'settings.catalog.unique_skus', 'true'
    );
end
$$;
comment on function private.require_unique_skus() is
  'Row trigger: skus that were set while they could be repeated have to be unique from now on. Refuses with CONFLICT if they are not.';

create function private.free_skus() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.product_variants v
  set sku = null
  where v.tenant_id = new.tenant_id and v.product_id = new.id and v.sku is not null;
  return null;
end
$$;
comment on function private.free_skus() is 'Row trigger: releases the skus of a discontinued product.';

create function private.span_prices() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.lowest_price := new.price;
  new.highest_price := new.price;
  if tg_op = 'UPDATE' then
    select coalesce(min(coalesce(v.price, new.price)), new.price), coalesce(max(coalesce(v.price, new.price)), new.price)
    into new.lowest_price, new.highest_price
    from public.product_variants v
    where v.tenant_id = new.tenant_id and v.product_id = new.id;
  end if;
  return new;
end
$$;
comment on function private.span_prices() is
  'Row trigger: sets the lowest and the highest price of a product. A variant without a price has the price of the product.';

create function private.touch_product() returns trigger
-- A plan from when the tables were empty, which a session keeps, would scan products.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  affected uuid[];
begin
  if tg_op = 'UPDATE' then
    -- No record has sku_is_unique, which a change of the tenant's settings changes in many variants.
    affected := array(
      select distinct c.product_id
      from changed c
      join former f on f.id = c.id
      where to_jsonb(c) - 'sku_is_unique' <> to_jsonb(f) - 'sku_is_unique'
    );
  else
    affected := array(select distinct c.product_id from changed c);
  end if;
  -- Two transactions may change variants of a product at the same time. The lock makes the second read after the first has committed.
  perform 1 from public.products p where p.id = any (affected) order by p.id for no key update;

  update public.products p
  set updated_at = now(), lowest_price = span.lowest, highest_price = span.highest
  from (
    select
      q.id, coalesce(min(coalesce(v.price, q.price)), q.price) as lowest,
      coalesce(max(coalesce(v.price, q.price)), q.price) as highest
    from public.products q
    left join public.product_variants v on v.tenant_id = q.tenant_id and v.product_id = q.id
    where q.id = any (affected)
    group by q.id
  ) as span
  where p.id = span.id
    and (p.updated_at <> now() or p.lowest_price <> span.lowest or p.highest_price <> span.highest);
  return null;
end
$$;
comment on function private.touch_product() is
  'Statement trigger: a change of variants updates updated_at and the lowest and highest price of the product.';

-- triggers -------------------------------------------------------------------------------------

create trigger _keep_nfc before insert or update on public.products for each row execute function private.keep_nfc();
create trigger _keep_nfc before insert or update on public.product_variants
  for each row execute function private.keep_nfc();

create trigger categories_check_that_it_is_empty
  before delete on public.categories
  for each row execute function private.check_category_is_empty();

create trigger tenants_check_catalog_settings
  before insert or update of settings on public.tenants
  for each row when (new.settings ? 'catalog')
  execute function private.check_catalog_settings();

create trigger tenants_require_unique_skus
  after update of settings on public.tenants
  for each row when (private.has_unique_skus(new.settings) and not private.has_unique_skus(old.settings))
  execute function private.require_unique_skus();

create trigger products_are_changed_by_admins_and_suppliers
  before insert or update or delete on public.products
  for each statement execute function private.only_for('admin', 'supplier');

create trigger product_variants_are_changed_by_admins_and_suppliers
  before insert or update or delete on public.product_variants
  for each statement execute function private.only_for('admin', 'supplier');

create trigger products_adopt_currency
  before insert on public.products
  for each row execute function private.adopt_currency();

create trigger products_check_price
  before insert or update of price, currency on public.products
  for each row execute function private.check_price();

create trigger products_span_prices
  before insert or update of price on public.products
  for each row execute function private.span_prices();

create trigger product_variants_check_price
  before insert or update of price on public.product_variants
  for each row when (new.price is not null) execute function private.check_price();

create trigger products_check_start
  before insert on public.products
  for each row when (new.status not in ('draft', 'active'))
  execute function private.check_product_start();

create trigger products_check_product_move
  before update of status, track_inventory on public.products
  for each row execute function private.check_product_move();

create trigger products_stay_discontinued
  before update on public.products
  for each row when (old.status = 'discontinued' and new.status = 'discontinued')
  execute function private.keep_discontinued_product();

create trigger products_touch
  before update on public.products
  for each row execute function private.touch();

create trigger products_check_supplier_room
  after insert on public.products
  referencing new table as added
  for each statement execute function private.check_supplier_room();

create trigger products_open_inventory
  after insert on public.products
  referencing new table as changed
  for each statement execute function private.open_inventory();

create trigger products_hand_on_seller
  after update of marketplace_id, supplier_id on public.products
  for each row when ((new.marketplace_id, new.supplier_id) is distinct from (old.marketplace_id, old.supplier_id))
  execute function private.hand_on_seller();

create trigger products_free_skus
  after update of status on public.products
  for each row when (new.status = 'discontinued' and old.status <> 'discontinued')
  execute function private.free_skus();

create trigger product_variants_adopt_seller
  before insert on public.product_variants
  for each row execute function private.adopt_seller();

create trigger product_variants_settle_sku_when_added
  before insert on public.product_variants
  for each row when (new.sku is not null)
  execute function private.settle_sku();

create trigger product_variants_settle_sku_when_changed
  before update of sku on public.product_variants
  for each row when (new.sku is not null and new.sku is distinct from old.sku)
  execute function private.settle_sku();

create trigger product_variants_open_inventory
  after insert on public.product_variants
  referencing new table as changed
  for each statement execute function private.open_inventory();

create trigger product_variants_touch_product_when_added
  after insert on public.product_variants
  referencing new table as changed
  for each statement execute function private.touch_product();

create trigger product_variants_touch_product_when_changed
  after update on public.product_variants
  referencing old table as former new table as changed
  for each statement execute function private.touch_product();

create trigger product_variants_touch_product_when_removed
  after delete on public.product_variants
  referencing old table as changed
  for each statement execute function private.touch_product();

create trigger inventory_touch
  before update on public.inventory
  for each row execute function private.touch();

create trigger inventory_moves_the_product
  after update on public.inventory
  referencing old table as old_inventory new table as new_inventory
  for each statement execute function private.follow_stock();

create trigger inventory_moves_the_product_when_added
  after insert on public.inventory
  referencing new table as new_inventory
  for each statement execute function private.follow_stock();

create trigger inventory_moves_the_product_when_removed
  after delete on public.inventory
  referencing old table as old_inventory
  for each statement execute function private.follow_stock();

-- policies -------------------------------------------------------------------------------------

alter table private.product_counts enable row level security;
alter table public.products enable row level security;
alter table public.product_variants enable row level security;
alter table public.inventory enable row level security;

create policy "Admins and clients see all products, suppliers their own, customers what is for sale" on public.products
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and private.is_shown_to(
      (select private.tenant_role()), (select private.supplier_id()), (select private.active_marketplace_ids()),
      supplier_id, marketplace_id, status
    )
  );

create policy "Admins list any product, suppliers their own" on public.products
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'admin' then true
      when 'supplier' then supplier_id = (select private.supplier_id())
      else false
    end
  );

create policy "Admins change any product, suppliers their own" on public.products
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'admin' then true
      when 'supplier' then supplier_id = (select private.supplier_id())
      else false
    end
  )
  with check (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'admin' then true
      when 'supplier' then supplier_id = (select private.supplier_id())
      else false
    end
  );

create policy "Admins delete any product, suppliers their own" on public.products
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and case (select private.tenant_role())
      when 'admin' then true
      when 'supplier' then supplier_id = (select private.supplier_id())
      else false
    end
  );

-- A scalar subquery looks up the single product. `exists` may be planned as a hash of all visible products.
create policy "Members who see a product see its variants" on public.product_variants
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins make variants of any product, suppliers of their own" on public.product_variants
  for insert to authenticated
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'supplier')
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins change variants of any product, suppliers of their own" on public.product_variants
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'supplier')
    and (select true from public.products p where p.id = product_id)
  )
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'supplier')
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins remove variants of any product, suppliers of their own" on public.product_variants
  for delete to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'supplier')
    and (select true from public.products p where p.id = product_id)
  );

create policy "Members who see a product see its stock" on public.inventory
  for select to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select true from public.products p where p.id = product_id)
  );

create policy "Admins count the stock of any product, suppliers of their own" on public.inventory
  for update to authenticated
  using (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'supplier')
    and (select true from public.products p where p.id = product_id)
  )
  with check (
    tenant_id = (select private.tenant_id())
    and (select private.tenant_role()) in ('admin', 'supplier')
    and (select true from public.products p where p.id = product_id)
  );

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.explain_stock_change to authenticated, service_role;
grant select on public.products, public.product_variants, public.inventory to authenticated;
grant
  delete,
  insert (
    marketplace_id, supplier_id, category_id, external_id, kind, track_inventory, name, description, description_html, price,
    currency, images, attributes, physical, template_id, status
  ),
  update (
    category_id, external_id, track_inventory, name, description, description_html, price, images, attributes, physical,
    template_id, status
  )
  on public.products to authenticated;
grant delete, insert (id, product_id, name, sku, price, position), update (name, sku, price, position)
  on public.product_variants to authenticated;
grant update (quantity) on public.inventory to authenticated;
grant all on public.products, public.product_variants, public.inventory to service_role;
grant execute on function private.is_shown_to, private.product_columns, private.has_unique_skus(jsonb), private.has_unique_skus(uuid)
  to authenticated, service_role;

-- supabase/schemas/catalog/0411_product_images.sql

-- The images of a product: addresses of other sites, or assets of the media library. Triggers copy the address and
-- dimensions of an asset into the products that show it, so that a list of products reads no other table.

-- functions ------------------------------------------------------------------------------------

create function private.shows_assets(images jsonb) returns boolean
language sql immutable
return images @? '$[*].asset_id';
comment on function private.shows_assets is 'Whether some of these images are assets of the media library.';

create function private.check_images(images jsonb) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  faults jsonb;
begin
  if jsonb_typeof(images) is distinct from 'array' or jsonb_array_length(images) > 100 then
    perform private.refuse('VALIDATION_ERROR', 'images must be a list of at most 100.', 'images', images);
  end if;

  select coalesce(jsonb_agg(
    private.fault(fault.message, format('images[%s].%s', sent.position - 1, fault.field), sent.value -> fault.field)
    order by sent.position
  ), '[]')
  into faults
  from jsonb_array_elements(images) with ordinality as sent (value, position)
  cross join lateral (
    select f.field, f.message
    from (values
      (1, not private.is_uuid(sent.value ->> 'asset_id'), 'asset_id', 'asset_id must be a UUID.'),
      (2, sent.value ->> 'asset_id' is null and (
            jsonb_typeof(sent.value -> 'url') is distinct from 'string'
            or sent.value ->> 'url' !~* '^https?://[^[:space:]/]' or char_length(sent.value ->> 'url') > 2000
          ),
        'url', 'An image must have a url (http or https, at most 2000 characters) or an asset_id.'),
      (3, coalesce(jsonb_typeof(sent.value -> 'alt') not in ('string', 'null'), false)
          or char_length(sent.value ->> 'alt') > 500,
        'alt', 'alt must have at most 500 characters.')
    ) as f (rank, applies, field, message)
    where f.applies
    order by f.rank
    limit 1
  ) as fault;
  perform private.refuse_all(faults);
end
$$;
comment on function private.check_images is 'Refuses with VALIDATION_ERROR a list that is not one of images.';

create function private.shown_asset(
  tenant_id uuid, supplier_id uuid, asset_id uuid, field text, held boolean
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  asset public.media_assets;
  variants jsonb;
begin
  if held then
    -- The lock lasts until the product is written: a request that replaces the asset then finds this product.
    perform 1
    from public.media_assets a
    where a.tenant_id = shown_asset.tenant_id and a.id = shown_asset.asset_id
    for share;
  end if;
  select * into asset
  from public.media_assets a
  where a.tenant_id = shown_asset.tenant_id and a.id = shown_asset.asset_id;
  if asset.type is distinct from 'image' or asset.status <> 'ready' or asset.private then
    perform private.refuse(
      case when asset.id is null then 'NOT_FOUND' else 'VALIDATION_ERROR' end,
      case when asset.id is null then 'There is no such asset.' else 'The image must be public and complete.' end,
      field, to_jsonb(asset_id)
    );
  elsif not private.may_show(supplier_id, asset) then
    perform private.refuse(
      'VALIDATION_ERROR',
      'The image belongs to another supplier. Use an image of the supplier of the product, or of the operator.',
      field, to_jsonb(asset_id)
    );
  end if;
  variants := private.media_variants(asset);
  return jsonb_build_object(
    'asset_id', asset.id, 'url', private.media_url(asset), 'alt', asset.alt_text, 'width', asset.width,
    'height', asset.height, 'srcset', private.srcset_of(variants)
  );
end
$$;
comment on function private.shown_asset is
  'An asset as a product shows it. held: whether to lock it. Refuses on the named field an asset that is missing (NOT_FOUND), not a ready public image, or of another supplier (VALIDATION_ERROR).';

create function private.checked_images(tenant_id uuid, supplier_id uuid, images jsonb, known jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  if images = '[]' then
    return images;
  end if;
  perform private.check_images(images);
  return (
    select jsonb_agg(
      case
        when sent.value ->> 'asset_id' is null then
          jsonb_build_object('url', sent.value ->> 'url', 'alt', coalesce(sent.value ->> 'alt', ''))
        else
          private.shown_asset(
            checked_images.tenant_id, checked_images.supplier_id, (sent.value ->> 'asset_id')::uuid, format('images[%s].asset_id', sent.position - 1),
            -- An image that the product already shows is not locked: a request that changes it holds its lock and waits for the
            -- product, which would be a deadlock.
            not known @> jsonb_build_array(jsonb_build_object('asset_id', sent.value -> 'asset_id'))
          )
          || case when sent.value ->> 'alt' is null then '{}' else jsonb_build_object('alt', sent.value ->> 'alt') end
      end
      order by sent.position
    )
    from jsonb_array_elements(images) with ordinality as sent (value, position)
  );
end
$$;
comment on function private.checked_images is
  'Images as they are stored: url and alt; for assets also asset_id, width, height and srcset, and the asset''s alternative text unless another was sent. known: the images that the product shows already. Refuses as check_images and shown_asset do.';

create function private.sent_images(images jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  if not private.shows_assets(images) then
    return images;
  end if;
  return (
    select jsonb_agg(
      case when i.value ? 'asset_id'
        then jsonb_build_object('asset_id', i.value -> 'asset_id', 'alt', i.value -> 'alt')
        else i.value
      end
      order by i.position
    )
    from jsonb_array_elements(images) with ordinality as i (value, position)
  );
end
$$;
comment on function private.sent_images is 'Images as a seller sends them, without the fields that come from an asset.';

create function private.note_shown_assets() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  shown uuid[] := case
    when tg_op <> 'DELETE' and new.status <> 'discontinued' then
      array(select distinct (i ->> 'asset_id')::uuid from jsonb_path_query(new.images, '$[*] ? (exists (@.asset_id))') as i)
    else '{}'
  end;
  most bigint := private.cap('products_per_image');
begin
  delete from private.media_uses u
  where u.tenant_id = old.tenant_id and u.type = 'product' and u.id = old.id and u.asset_id <> all (shown);
  insert into private.media_uses (tenant_id, asset_id, type, id)
  select new.tenant_id, s.asset_id, 'product', new.id
  from unnest(shown) as s (asset_id)
  order by s.asset_id
  on conflict on constraint media_uses_pkey do nothing;
  -- A change of an image writes all products that show it.
  if exists (
    select from unnest(shown) as s (asset_id)
    where (
      select count(*) > most
      from (
        select from private.media_uses u
        where u.tenant_id = new.tenant_id and u.asset_id = s.asset_id and u.type = 'product'
        limit most + 1
      ) as uses
    )
  ) then
    perform private.refuse_beyond(
      'products_per_image', format('At most %s products may show the same image.', most), 'images'
    );
  end if;
  return null;
end
$$;
comment on function private.note_shown_assets() is
  'Row trigger: keeps the rows of media_uses of a product. A discontinued product uses no asset.';

create function private.refresh_shown_asset() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Locked in the order of ids: another image of the same products may change in parallel.
  perform 1
  from public.products p
  join private.media_uses u on u.id = p.id
  where u.tenant_id = new.tenant_id and u.asset_id = new.id and u.type = 'product'
  order by p.id
  for no key update of p;
  -- The trigger of products adds the fields that are left out here.
  update public.products p
  set images = (
    select jsonb_agg(
      case
        when i.value ->> 'asset_id' <> new.id::text or not i.value ? 'asset_id' then i.value
        when i.value ->> 'alt' = old.alt_text then jsonb_build_object('asset_id', new.id)
        else jsonb_build_object('asset_id', new.id, 'alt', i.value -> 'alt')
      end
      order by i.position
    )
    from jsonb_array_elements(p.images) with ordinality as i (value, position)
  )
  where p.tenant_id = new.tenant_id
    and p.id = any (
      array(
        select u.id from private.media_uses u
        where u.tenant_id = new.tenant_id and u.asset_id = new.id and u.type = 'product'
      )
    );
  return null;
end
$$;
comment on function private.refresh_shown_asset() is
  'Row trigger: updates the products that show an asset. They keep an alternative text of their own.';

create function private.refresh_shown_assets() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  update public.products p
  set images = private.sent_images(p.images)
  where p.id in (select u.id from private.media_uses u where u.type = 'product');
  return null;
end
$$;
comment on function private.refresh_shown_assets() is
  'Statement trigger: updates all products that show assets, because Storage has another address, or smaller versions of images were switched on or off.';

-- triggers -------------------------------------------------------------------------------------

create trigger products_note_shown_assets_when_listed
  after insert on public.products
  for each row when (private.shows_assets(new.images))
  execute function private.note_shown_assets();

create trigger products_note_shown_assets_when_changed
  after update of images, status on public.products
  for each row when (
    (old.images is distinct from new.images or old.status <> new.status)
    and (private.shows_assets(old.images) or private.shows_assets(new.images))
  )
  execute function private.note_shown_assets();

create trigger products_forget_shown_assets
  after delete on public.products
  for each row when (private.shows_assets(old.images))
  execute function private.note_shown_assets();

create trigger media_assets_refresh_products
  after update on public.media_assets
  for each row when (
    old.path is not null
    and (
      old.path <> new.path or old.alt_text <> new.alt_text or old.width is distinct from new.width or old.height is distinct from new.height
      or old.resizable <> new.resizable
    )
  )
  execute function private.refresh_shown_asset();

create trigger media_settings_refresh_products
  after update of transformations, address on private.media_settings
  for each statement execute function private.refresh_shown_assets();

-- grants ---------------------------------------------------------------------------------------

grant execute on function private.shows_assets, private.sent_images to authenticated, service_role;

-- supabase/schemas/catalog/0412_product_descriptions.sql

-- The description of a product: its text, attributes as its category requires them, images, and details for shipping. They
-- are checked here for the API and for supabase-js alike.

-- functions ------------------------------------------------------------------------------------

create function private.brand(attributes jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return nullif(jsonb_path_query_first(attributes, '$[*] ? (@.name == "brand").value') #>> '{}', '');
end
$$;
comment on function private.brand is 'The brand of a product: the value of its attribute brand.';

create function private.values_by_name(attributes jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(a.value ->> 'name', a.value -> 'value'), '{}')
    from jsonb_array_elements(attributes) as a (value)
    where a.value ->> 'value' <> ''
  );
end
$$;
comment on function private.values_by_name is 'The values of a product''s attributes by name, without empty ones.';

create function private.attribute_values(attributes jsonb) returns jsonb
language plpgsql immutable set search_path = ''
as $$
declare
  by_name jsonb := private.values_by_name(attributes);
begin
  -- An entry of an index has at most 2,704 bytes. It also holds the brand, of at most 1,000 bytes.
  return case when pg_column_size(by_name) <= 1000 then by_name end;
end
$$;
comment on function private.attribute_values is
  'The values of a product''s attributes by name, as the indexes of lists hold them; null if they take over 1,000 bytes.';

create function private.completed_attributes(asked jsonb, attributes jsonb) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object(
          'name', sent.value ->> 'name',
          'value', sent.value ->> 'value',
          'type', coalesce(asked -> (sent.value ->> 'name') ->> 'type', sent.value ->> 'type', 'text'),
          'required', coalesce((asked -> (sent.value ->> 'name') ->> 'required')::boolean, false),
          'searchable', coalesce(
            (asked -> (sent.value ->> 'name') ->> 'searchable')::boolean, (sent.value ->> 'searchable')::boolean, false
          )
        )
        order by sent.position
      ),
      '[]'
    )
    from jsonb_array_elements(attributes) with ordinality as sent (value, position)
  );
end
$$;
comment on function private.completed_attributes is
  'Attributes of a product, each with the type, required and searchable of its category.';

create function private.missing_attributes(asked jsonb, attributes jsonb) returns jsonb
language sql immutable set search_path = ''
as $$
  select coalesce(jsonb_agg(
    private.fault(format('The category requires the attribute "%s".', a.key), 'attributes.' || a.key, 'null') order by a.key
  ), '[]')
  from jsonb_each(asked) as a (key, definition)
  where (a.definition ->> 'required')::boolean
    and not attributes @> jsonb_build_array(jsonb_build_object('name', a.key))
$$;
comment on function private.missing_attributes is
  'The faults of attributes of a product that lack some which its category requires.';

create function private.checked_attributes(tenant_id uuid, category_id uuid, attributes jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  asked jsonb := case
    when category_id is null then '{}'
    else private.category_attributes(checked_attributes.tenant_id, checked_attributes.category_id)
  end;
  given record;
  value text;
  definition jsonb;
  type text;
  names text[] := array[]::text[];
  field text;
  message text;
  faults jsonb := '[]'::jsonb;
begin
  if attributes = '[]' and asked = '{}' then
    return attributes;
  elsif jsonb_typeof(attributes) is distinct from 'array' or jsonb_array_length(attributes) > 200 then
    perform private.refuse('VALIDATION_ERROR', 'attributes must be a list of at most 200.', 'attributes', attributes);
  end if;

  -- A loop, because one statement with all rules takes three times as long, and each imported product is checked.
  for given in
    select sent.position - 1 as index, sent.value as attribute, sent.value -> 'name' as name, sent.value ->> 'name' as key
    from jsonb_array_elements(attributes) with ordinality as sent (value, position)
    order by sent.position
  loop
    value := given.attribute ->> 'value';
    definition := asked -> given.key;
    type := coalesce(definition ->> 'type', given.attribute ->> 'type', 'text');
    field := 'value';
    message := null;
    if private.is_name(given.name, 100) is not true then
      field := 'name';
      message := 'The name of an attribute must have 1 to 100 characters.';
    elsif given.key = any (names) then
      field := 'name';
      message := format('The attribute %s must not be present twice.', given.name);
    elsif jsonb_typeof(given.attribute -> 'value') is distinct from 'string' or char_length(value) > 2000 then
      message := 'The value of an attribute must be a text of at most 2000 characters.';
    elsif given.key = 'brand' and octet_length(value) > 1000 then -- See private.attribute_values.
      message := 'The attribute brand must have at most 1000 bytes.';
    elsif type not in ('text', 'number', 'boolean', 'select') then
      field := 'type';
      message := 'The type of an attribute must be text, number, boolean or select.';
    elsif (definition ->> 'required')::boolean and btrim(value) = '' then
      message := format('The category requires the attribute %s.', given.name);
    elsif type = 'number' and value <> '' and value !~ '^-?[0-9]{1,30}([.][0-9]{1,30})?$' then
      message := format('The attribute %s must be a number.', given.name);
    elsif type = 'boolean' and value not in ('', 'true', 'false') then
      message := format('The attribute %s must be true or false.', given.name);
    elsif definition ->> 'type' = 'select' and value <> '' and not definition -> 'options' @> (given.attribute -> 'value') then
      message := format('The attribute %s must be one of %s.', given.name, definition -> 'options');
    elsif jsonb_typeof(given.attribute -> 'searchable') <> 'boolean' then
      field := 'searchable';
      message := 'searchable must be true or false.';
    end if;
    if message is not null then
      faults := faults
        || private.fault(message, format('attributes[%s].%s', given.index, field), given.attribute -> field);
    end if;
    names := names || given.key;
  end loop;

  perform private.refuse_all(faults || private.missing_attributes(asked, attributes));
  return private.completed_attributes(asked, attributes);
end
$$;
comment on function private.checked_attributes is
  'A product''s attributes, completed with the type, required and searchable of its category. Refuses attributes that the category does not allow.';

create function private.checked_physical(tenant_id uuid, marketplace_id uuid, physical jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  faults jsonb;
  methods jsonb;
begin
  if jsonb_typeof(physical) is distinct from 'object' then
    perform private.refuse('VALIDATION_ERROR', 'physical must be an object.', 'physical', physical);
  end if;

  select coalesce(jsonb_agg(private.fault(
    'Weights and lengths must be whole numbers from 1 to 999999999.', 'physical.' || measure.name, physical -> measure.name
  ) order by measure.position), '[]')
  into faults
  from unnest(array['weight_grams', 'length_mm', 'width_mm', 'height_mm']) with ordinality as measure (name, position)
  where physical ->> measure.name !~ '^[1-9][0-9]{0,8}$'
    or jsonb_typeof(physical -> measure.name) not in ('number', 'null');

  if physical -> 'delivery' <> 'null' then
    select coalesce(jsonb_path_query_array(m.settings, 'lax $.business.delivery.methods[*].key'), '[]') into methods
    from public.marketplaces m
    where m.tenant_id = checked_physical.tenant_id and m.id = checked_physical.marketplace_id;
    if jsonb_typeof(physical -> 'delivery') <> 'array' or jsonb_array_length(physical -> 'delivery') > 100 then
      faults := faults || private.fault(
        'delivery must be a list of at most 100 keys of the marketplace''s delivery methods.', 'physical.delivery',
        physical -> 'delivery'
      );
    else
      faults := faults || (
        select coalesce(jsonb_agg(private.fault(
          'delivery must contain keys of the marketplace''s delivery methods.',
          format('physical.delivery[%s]', sent.position - 1), sent.value
        ) order by sent.position), '[]')
        from jsonb_array_elements(physical -> 'delivery') with ordinality as sent (value, position)
        where jsonb_typeof(sent.value) <> 'string' or not methods @> sent.value
      );
    end if;
  end if;
  perform private.refuse_all(faults);

  return jsonb_build_object(
    'weight_grams', physical -> 'weight_grams', 'length_mm', physical -> 'length_mm',
    'width_mm', physical -> 'width_mm', 'height_mm', physical -> 'height_mm',
    'delivery', physical -> 'delivery'
  );
end
$$;
comment on function private.checked_physical is
  'Weight and size of a parcel in grams and millimetres, and the keys of the allowed delivery methods of the marketplace; null for all methods.';

create function private.check_product_details() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or new.attributes is distinct from old.attributes or new.category_id is distinct from old.category_id then
    -- A discontinued product loses a deleted category, so its attributes are not checked.
    if new.status <> 'discontinued' then
      new.attributes := private.checked_attributes(new.tenant_id, new.category_id, new.attributes);
      new.brand := private.brand(new.attributes);
      new.attribute_values := private.attribute_values(new.attributes);
    end if;
  end if;
  if tg_op = 'INSERT' or new.images is distinct from old.images then
    new.images := private.checked_images(
      new.tenant_id, new.supplier_id, new.images,
      -- A discontinued product shows no asset.
      case when tg_op = 'UPDATE' and old.status <> 'discontinued' then old.images else '[]' end
    );
  end if;
  if new.physical is not null and (tg_op = 'INSERT' or new.physical is distinct from old.physical) then
    new.physical := private.checked_physical(new.tenant_id, new.marketplace_id, new.physical);
  end if;
  return new;
end
$$;
comment on function private.check_product_details() is
  'Row trigger: checks attributes when they or the category change, and images and physical details when they change.';

create function private.settle_product_description() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  settled record;
begin
  -- Callers send a record back as they read it, with both fields. So the field that they changed counts, and of two
  -- the HTML.
  if tg_op = 'UPDATE' and new.description_html is not distinct from old.description_html then
    if new.description is not distinct from old.description then
      return new;
    end if;
    new.description_html := null;
  elsif tg_op = 'UPDATE' and new.description_html is null and new.description is not distinct from old.description then
    return new; -- Its HTML is removed, and its text stays.
  end if;
  settled := private.settle_html(
    new.description, new.description_html, case when new.description_html is null then 'description' else 'description_html' end
  );
  new.description := settled.plain;
  new.description_html := settled.html;
  return new;
end
$$;
comment on function private.settle_product_description() is
  'Row trigger: reduces an HTML description to allowed elements, and makes the description its plain text. A new plain text removes the HTML.';

-- triggers -------------------------------------------------------------------------------------

create trigger products_settle_description
  before insert or update of description, description_html on public.products
  for each row execute function private.settle_product_description();

create trigger products_check_details
  before insert or update of attributes, category_id, images, physical on public.products
  for each row execute function private.check_product_details();

-- supabase/schemas/catalog/0413_product_slugs.sql

-- The slugs of products: readable addresses, one for each product of a marketplace, and those that it had before.

-- functions ------------------------------------------------------------------------------------

create function private.slug_of(words text) returns text
language sql stable
-- Composed first: unaccent knows letters with their accents, and not accents alone.
return nullif(
  trim('-' from left(
    trim('-' from regexp_replace(lower(extensions.unaccent(normalize(coalesce(words, ''), nfkc))), '[^a-z0-9]+', '-', 'g')), 200
  )), ''
);
comment on function private.slug_of is 'The slug of a title: small letters, digits and hyphens, at most 200. Null if no letter or digit is left.';

-- GET /api/products/{id} takes an id or a slug, beside these paths.
create function private.is_no_slug(word text) returns boolean
language sql immutable
return private.is_uuid(word) or word in ('export', 'import', 'search', 'top-sales');
comment on function private.is_no_slug is 'Whether a word cannot be the slug of a product, because it is an id or a path of the API below products.';

-- tables ---------------------------------------------------------------------------------------

-- Current and former slugs are one table, so that one key keeps them apart, also for requests at the same time. Without a
-- foreign key, which would be checked for each new product: triggers delete the slugs of a product with it.
create table private.product_slugs (
  tenant_id uuid not null,
  marketplace_id uuid not null,
  slug text not null,
  product_id uuid not null,
  replaced_at timestamptz,
  -- A lookup by slug seldom names the marketplace, so that column comes last.
  constraint slug_is_unique_in_product_slugs primary key (tenant_id, slug, marketplace_id),
  constraint product_slugs_slug_is_small_letters_digits_and_hyphens check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  constraint product_slugs_slug_is_at_most_200_characters check (char_length(slug) <= 200),
  constraint product_slugs_slug_is_no_id_and_no_path_of_the_api check (not private.is_no_slug(slug))
);
comment on table private.product_slugs is
  'The slugs of products that are not discontinued: the current one, a copy of products.slug, and with replaced_at up to 20 former ones, which lead to the product.';

-- indexes --------------------------------------------------------------------------------------

create index product_slugs_product_id_idx on private.product_slugs (tenant_id, product_id);
create index products_tenant_id_slug_idx on public.products (tenant_id, slug);

-- functions ------------------------------------------------------------------------------------

create function private.numbered_slug(base text, number integer) returns text
language sql immutable
return rtrim(left(base, 190), '-') || '-' || number;
comment on function private.numbered_slug is 'A slug with a number: lamp-2, lamp-3.';

create function private.next_slug(product public.products, base text) returns text
-- A plan from when the table was empty, which a session keeps, would scan it. Not stable: it has to see what other
-- transactions have stored meanwhile.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  -- One statement may add many products of one name. They continue from the last number of the transaction.
  last text[] := string_to_array(current_setting('souk.last_slug', true), ' ');
  subject text := concat(product.marketplace_id, '/', base);
  -- The greatest number that is known to be taken, the step to the next one that is tried, and the one that is tried.
  taken integer := case when last[1] = subject then last[2]::integer else 1 end;
  step integer := 1;
  is_step_free boolean := false;
begin
  -- Steps are doubled up to a free number, then halved: among 10,000 products of one name it takes 28 lookups.
  while step > 0 loop
    if exists (
      select
      from private.product_slugs s
      where s.tenant_id = product.tenant_id and s.marketplace_id = product.marketplace_id
        and s.slug = private.numbered_slug(base, taken + step) and s.product_id <> product.id
    ) then
      taken := taken + step;
    else
      is_step_free := true;
    end if;
    step := case when is_step_free then step / 2 else step * 2 end;
  end loop;
  perform set_config('souk.last_slug', concat(subject, ' ', taken + 1), true);
  return private.numbered_slug(base, taken + 1);
end
$$;
comment on function private.next_slug is 'The slug with the next number that no other product of the marketplace has, or had.';

create function private.replace_former_slugs(product public.products) returns void
-- A plan from when the table was empty, which a session keeps, would scan it.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  delete from private.product_slugs s
  where s.tenant_id = product.tenant_id and s.product_id = product.id and s.marketplace_id <> product.marketplace_id;
  update private.product_slugs s
  set replaced_at = clock_timestamp()
  where s.tenant_id = product.tenant_id and s.product_id = product.id and s.slug <> product.slug and s.replaced_at is null;
  delete from private.product_slugs s
  where s.tenant_id = product.tenant_id and s.product_id = product.id and s.slug in (
    select f.slug
    from private.product_slugs f
    where f.tenant_id = product.tenant_id and f.product_id = product.id and f.replaced_at is not null
    order by f.replaced_at desc
    offset 20
  );
end
$$;
comment on function private.replace_former_slugs is
  'Makes all slugs of a product former ones, besides its current one, and deletes those of another marketplace and the oldest above 20.';

create function private.settle_slug() returns trigger
-- A plan from when the table was empty, which a session keeps, would scan it.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
declare
  base text;
begin
  if coalesce(new.slug, '') = '' then
    base := coalesce(private.slug_of(new.name), 'product-' || left(new.id::text, 8));
    base := case when private.is_no_slug(base) then 'product-' || base else base end;
    new.slug := base;
  end if;
  loop
    -- It waits for another transaction that is storing the same slug.
    insert into private.product_slugs (tenant_id, marketplace_id, slug, product_id)
    values (new.tenant_id, new.marketplace_id, new.slug, new.id)
    on conflict (tenant_id, slug, marketplace_id) do nothing;
    exit when found;
    -- It may have had it before.
    update private.product_slugs s
    set replaced_at = null
    where tg_op = 'UPDATE' and s.tenant_id = new.tenant_id and s.slug = new.slug
      and s.marketplace_id = new.marketplace_id and s.product_id = new.id;
    exit when found;
    if base is null then
      perform private.refuse(
        'CONFLICT', 'Another product of this marketplace has this slug, or had it before.', 'slug', to_jsonb(new.slug)
      );
    end if;
    new.slug := private.next_slug(new, base);
  end loop;
  if tg_op = 'UPDATE' then
    perform private.replace_former_slugs(new);
  end if;
  return new;
end
$$;
comment on function private.settle_slug() is
  'Row trigger: makes the slug of a product that has none from its name, with the next number if another product has it. Without a Latin letter or digit: product- and the beginning of its id. Refuses with CONFLICT a chosen one that another product has. The former slug keeps leading to the product.';

create function private.free_slugs() returns trigger
-- A plan from when the table was empty, which a session keeps, would scan it.
language plpgsql security definer set search_path = '' set enable_seqscan = off
as $$
begin
  delete from private.product_slugs s where s.tenant_id = old.tenant_id and s.product_id = old.id;
  return null;
end
$$;
comment on function private.free_slugs() is 'Row trigger: releases the slugs of a product that is discontinued or deleted.';

create function private.products_with_slug(slug text, marketplace_id uuid, former boolean) returns uuid[]
-- A plan from when the table was empty, which a session keeps, would scan it.
language plpgsql stable security definer set search_path = '' set enable_seqscan = off
as $$
begin
  return array(
    select s.product_id
    from private.product_slugs s
    where s.tenant_id = private.tenant_id() and s.slug = products_with_slug.slug
      and (s.replaced_at is not null) = former
      and (products_with_slug.marketplace_id is null or s.marketplace_id = products_with_slug.marketplace_id)
  );
end
$$;
comment on function private.products_with_slug is
  'The products of the caller''s tenant that have a slug, or had it (former): one in each marketplace. The caller may not see all of them.';

-- triggers -------------------------------------------------------------------------------------

-- Stock and orders change other columns, and so run none of them.
create trigger products_settle_slug
  before insert on public.products
  for each row execute function private.settle_slug();

create trigger products_settle_changed_slug
  before update of slug, marketplace_id on public.products
  for each row when ((new.slug, new.marketplace_id) is distinct from (old.slug, old.marketplace_id))
  execute function private.settle_slug();

create trigger products_free_slugs_when_deleted
  after delete on public.products
  for each row execute function private.free_slugs();

create trigger products_free_slugs_when_discontinued
  after update of status on public.products
  for each row when (new.status = 'discontinued' and old.status <> 'discontinued')
  execute function private.free_slugs();

-- policies -------------------------------------------------------------------------------------

alter table private.product_slugs enable row level security;

-- grants ---------------------------------------------------------------------------------------

grant insert (slug), update (slug) on public.products to authenticated;
grant execute on function private.products_with_slug to authenticated, service_role;
