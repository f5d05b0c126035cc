import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";

// The files of monitoring/, and the names in their expressions.

const rule = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z
    .string()
    .regex(/^\d+[smhd]$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(["page", "ticket"]) }),
  annotations: z.strictObject({ summary: z.string(), runbook: z.string() }),
});

const metric = z.strictObject({
  metric_name: z.string().regex(/^souk_[a-z_]+$/),
  type: z.literal("gauge"),
  help: z.string(),
  key_labels: z.array(z.string()).optional(),
  values: z.array(z.string()).length(1),
  query: z.string(),
});

const read = (name: string): unknown => parse(readFileSync(`monitoring/${name}`, "utf8"));

export const rules = z
  .strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(rule) })) })
  .parse(read("souk.rules.yml"))
  .groups.flatMap((group) => group.rules);

export const { metrics } = z
  .strictObject({
    collector_name: z.literal("souk"),
    min_interval: z.string(),
    metrics: z.array(metric),
  })
  .parse(read("souk.collector.yml"));

const { scrape_configs: jobs } = z
  .object({
    scrape_configs: z.array(
      z.object({
        job_name: z.string(),
        static_configs: z.array(z.object({ targets: z.array(z.string()) })),
      }),
    ),
  })
  .parse(read("prometheus.yml"));

/** The endpoints of Souk that a job of Prometheus probes, as paths. */
export const endpointsOf = (job: "souk" | "souk-jobs"): string[] =>
  jobs
    .filter(({ job_name }) => job_name === job)
    .flatMap(({ static_configs }) => static_configs.flatMap(({ targets }) => targets))
    .map((target) => target.replace("https://<ref>.supabase.co", ""));

/** Words of PromQL that are not names of metrics. */
const WORDS = new Set([
  "absent",
  "and",
  "avg",
  "avg_over_time",
  "ignoring",
  "predict_linear",
  "rate",
]);

/** The names of the metrics in an expression. */
export function metricsIn(expression: string): string[] {
  const names = expression
    .replace(/\{[^}]*\}|\[[^\]]*\]|ignoring \([^)]*\)/g, " ")
    .match(/[A-Za-z_]\w*/g);
  return (names ?? []).filter((name) => !WORDS.has(name));
}

/**
 * Metrics of hosted projects and of blackbox_exporter that the rules may use. Those of hosted projects are in the dashboard
 * and the examples of https://github.com/supabase/supabase-grafana.
 */
export const KNOWN_METRICS = [
  "node_cpu_seconds_total",
  "node_filesystem_avail_bytes",
  "node_filesystem_size_bytes",
  "node_memory_MemAvailable_bytes",
  "node_memory_MemTotal_bytes",
  "pg_settings_default_transaction_read_only",
  "pg_up",
  "physical_replication_lag_physical_replication_lag_seconds",
  "probe_duration_seconds",
  "probe_success",
];
