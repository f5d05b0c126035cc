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
  'kept_counts', 'clock', 'wake', 'payouts'
);

-- Settings of a transaction, by which its functions and triggers tell each other what they know:
--   souk.stock_change     why the stock changes: {reason, note, order_id}
--   souk.product_room     how many products a supplier may still add
--   souk.last_slug        the number of the last slug of one name
--   souk.is_seller        whether the caller writes products of its own organisation only
--   souk.audited_request  the claims of the request that souk.audited_caller is about
--   souk.audited_caller   who makes the changes of the request, for the audit log: the actor and its supplier
--   souk.rights           'customer' while a page of somebody else is read
--   souk.removed_tenant   the tenant whose rows a job deletes
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

-- Counts up to the kind alone: a migration that adds a kind takes locks of others, but may not read the new one.
create function private.kind_key(kind private.lock_kind) returns integer
language sql immutable
return cardinality(enum_range(null::private.lock_kind, kind));
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
