import { describe, expect, it } from "vitest";
import { reasonNotToReach } from "../supabase/functions/_shared/webhooks/reach.ts";

// Where a webhook must never be sent to. No address here is connected to, and no name but localhost
// is looked up.

const LOOPBACK = [
  "http://127.0.0.1:8080/hook",
  "http://127.255.0.9/",
  "http://localhost/",
  "http://LOCALHOST/",
  "http://[::1]:9000/",
  "http://[::ffff:127.0.0.1]/",
  "http://[0:0:0:0:0:ffff:7f00:1]/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0x7f.1/",
  "http://017700000001/",
  "http://127.1/",
  "http://①②⑦.0.0.1/",
];

const ELSEWHERE_INSIDE = [
  "http://10.0.0.1/",
  "http://10.1/",
  "http://167772161/",
  "http://0xa000001/",
  "http://012.0.0.1/",
  "http://172.16.0.1/",
  "http://172.31.255.255/",
  "http://192.168.1.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://0xa9fea9fe/",
  "http://100.64.0.1/",
  "http://0.0.0.0/",
  "http://0/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "http://198.18.0.1/",
  "http://[::]/",
  "http://[::ffff:10.0.0.1]/",
  "http://[::ffff:a9fe:a9fe]/",
  "http://[::10.0.0.1]/",
  "http://[64:ff9b::10.0.0.1]/",
  "http://[2002:a00:1::]/",
  "http://[fd00:ec2::254]/",
  "http://[fc00::1]/",
  "http://[fe80::1]/",
  "http://[fec0::1]/",
  "http://[ff02::1]/",
];

const PUBLIC = [
  "https://93.184.216.34/hook",
  "http://172.32.0.1/",
  "http://11.0.0.1/",
  "https://[2606:2800:220:1:248:1893:25c8:1946]/",
  "https://[::ffff:93.184.216.34]/",
];

const NO_ADDRESS = [
  ["ftp://93.184.216.34/", "only http and https addresses are delivered to"],
  ["file:///etc/passwd", "only http and https addresses are delivered to"],
  ["http://user:secret@93.184.216.34/", "the address must not hold credentials"],
  ["http://nobody.invalid/", "the host name does not resolve"],
] as const;

const INSIDE = "the address is not on the public internet";

describe("a webhook", () => {
  it.each(ELSEWHERE_INSIDE)("never reaches %s", async (url) => {
    expect(await reasonNotToReach(url, false)).toBe(INSIDE);
    expect(await reasonNotToReach(url, true)).toBe(INSIDE);
  });

  it.each(LOOPBACK)("reaches %s from a local stack alone", async (url) => {
    expect(await reasonNotToReach(url, false)).toBe(INSIDE);
    expect(await reasonNotToReach(url, true)).toBeNull();
  });

  it.each(PUBLIC)("reaches %s", async (url) => {
    expect(await reasonNotToReach(url, false)).toBeNull();
    expect(await reasonNotToReach(url, true)).toBeNull();
  });

  it.each(NO_ADDRESS)("does not go to %s", async (url, reason) => {
    expect(await reasonNotToReach(url, false)).toBe(reason);
    expect(await reasonNotToReach(url, true)).toBe(reason);
  });
});
