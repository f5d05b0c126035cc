import { Progress as BaseProgress } from "@base-ui/react/progress";

/** A progress bar. `value` null means that the progress is unknown. */
export function Progress({
  label,
  value,
  max = 100,
}: {
  label: string;
  value: number | null;
  max?: number;
}) {
  return (
    <BaseProgress.Root className="progress" value={value} max={max} aria-label={label}>
      <BaseProgress.Track className="progress-track">
        <BaseProgress.Indicator className="progress-bar" />
      </BaseProgress.Track>
    </BaseProgress.Root>
  );
}
