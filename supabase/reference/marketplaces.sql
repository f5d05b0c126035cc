insert into private.currencies (code, exponent)
select unnest(string_to_array(codes, ' ')), exponent
from (values
  (0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'),
  (2, 'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF '
    'CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL '
    'HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT '
    'MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB '
    'SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH '
    'USD UYU UZS VES WST XCD XCG YER ZAR ZMW ZWG'),
  (3, 'BHD IQD JOD KWD LYD OMR TND')
) as iso (exponent, codes)
on conflict (code) do update set exponent = excluded.exponent;

insert into private.status_moves (subject, from_status, to_status) values
  ('marketplaces', 'draft', 'active'),
  ('marketplaces', 'active', 'inactive'),
  ('marketplaces', 'inactive', 'active'),
  ('marketplaces', 'active', 'suspended'),
  ('marketplaces', 'inactive', 'suspended'),
  ('marketplaces', 'suspended', 'active'),
  ('marketplaces', 'suspended', 'inactive')
on conflict do nothing;
