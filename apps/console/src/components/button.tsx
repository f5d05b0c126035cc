import { Button as BaseButton } from "@base-ui/react/button";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

type Variant = "primary" | "plain" | "danger" | "quiet";

interface ButtonProps extends Omit<ComponentProps<typeof BaseButton>, "className"> {
  variant?: Variant;
  /** Shows that the action is running, and ignores clicks. */
  pending?: boolean;
}

export function Button({ variant = "plain", pending = false, disabled, ...props }: ButtonProps) {
  return (
    <BaseButton
      type="button"
      {...props}
      disabled={disabled || pending}
      focusableWhenDisabled
      data-pending={pending || undefined}
      className={`button button-${variant}`}
    />
  );
}

function Anchor({ variant = "plain", ...props }: ComponentProps<"a"> & { variant?: Variant }) {
  return <a {...props} className={`button button-${variant}`} />;
}

/** A link to another page that looks like a button. */
export const ButtonLink = createLink(Anchor);
