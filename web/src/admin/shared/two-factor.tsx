import { useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { api, isApiError } from "../../api/client";
import type { components } from "../../api/schema.gen";
import { useSite } from "../../api/queries";
import { required, text, useForm } from "../../lib/forms";
import { Button } from "../../ui/button";
import { Checkbox, CodeInput, Field, FormMessage } from "../../ui/field";
import { toast } from "../../ui/toast";
import { splitScripts } from "../../ui/two-scripts";
import { focusOnMount } from "../../ui/focus";
import { OwnPasswordField } from "./own-password-field";
import { asStaff, requiresSignIn, staffQuery, useStaff } from "./session";

type Enrollment = components["schemas"]["Enrollment"];

/**
 * Sets up an authenticator app: the password, the QR code, the first code, and then the recovery codes, which are shown
 * only once.
 */
export function TwoFactorSetup({ onDone, onCodes }: { onDone: () => void; onCodes?: () => void }) {
  const client = useQueryClient();
  const asked = useStaff()?.two_factor_required;
  const [enrollment, setEnrollment] = useState<Enrollment | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);

  const { busy, errors, message, form } = useForm({
    check: required({ code: "Please enter the code from your authenticator app." }),
    submit: (data) =>
      asStaff(api.POST("/api/admin/two-factor/confirm", { body: { code: text(data, "code").replace(/\s/g, "") } })),
    done: ({ recovery_codes }) => {
      setCodes(recovery_codes);
      onCodes?.();
    },
  });

  if (codes) {
    return (
      <RecoveryCodes
        codes={codes}
        onDone={async () => {
          await client.invalidateQueries({ queryKey: staffQuery.queryKey });
          toast({
            title: "Authenticator app set up",
            description: "From now on you also need a code to sign in. All other devices are signed out.",
          });
          onDone();
        }}
      />
    );
  }
  if (!enrollment) {
    return (
      <PasswordFirst
        asked={asked === true}
        onBegun={setEnrollment}
        // Two-factor was set up in another window, so this reads the session again.
        onSetUpElsewhere={() => void client.invalidateQueries({ queryKey: staffQuery.queryKey }).then(onDone)}
      />
    );
  }

  const { qr_path, qr_size, secret, otpauth_url } = enrollment;
  return (
    <div className="grid gap-4">
      <p className="text-muted">Scan this code with the app on your phone, then enter the six digits it shows.</p>
      <div className="justify-self-center rounded-md border border-line bg-[#fff] p-3">
        <svg
          role="img"
          aria-label="QR code for your authenticator app"
          viewBox={`-2 -2 ${qr_size + 4} ${qr_size + 4}`}
          shapeRendering="crispEdges"
          className="block size-44"
        >
          <path d={qr_path} fill="#000" />
        </svg>
      </div>
      <details className="text-sm">
        <summary className="link inline-flex min-h-tap items-center">Cannot scan it?</summary>
        <div className="grid gap-2">
          <p className="text-muted">
            Type this key into the app, or{" "}
            <a href={otpauth_url} className="link">
              open the app on this device
            </a>
            .
          </p>
          <code className="rounded-md bg-sunk px-3.5 py-2.5 font-mono text-base break-all select-all">{secret}</code>
        </div>
      </details>
      <form {...form} className="grid gap-4">
        <Field label="First code" error={errors.code} hint="It changes every 30 seconds.">
          <CodeInput />
        </Field>
        <FormMessage>{message}</FormMessage>
        <Button type="submit" busy={busy}>
          {busy ? "Checking..." : "Turn on two-factor"}
        </Button>
      </form>
    </div>
  );
}

type FirstProps = { asked: boolean; onBegun: (enrollment: Enrollment) => void; onSetUpElsewhere: () => void };

/** Asks for the password, because an unattended page must not be enough to register another phone. */
function PasswordFirst({ asked, onBegun, onSetUpElsewhere }: FirstProps) {
  const { busy, errors, message, form } = useForm({
    check: required({ current_password: "Please enter your password." }),
    submit: (data) =>
      asStaff(api.POST("/api/admin/two-factor", { body: { current_password: text(data, "current_password") } })),
    done: onBegun,
    failed: (error) => {
      if (!isApiError(error, "conflict")) return requiresSignIn(error);
      onSetUpElsewhere();
      return true;
    },
  });
  return (
    <form {...form} className="grid gap-4">
      <p className="text-muted">
        {asked ? "The camp requires an authenticator app. " : ""}To set it up, enter your password first.
      </p>
      <OwnPasswordField error={errors.current_password} />
      <FormMessage>{message}</FormMessage>
      <Button type="submit" busy={busy}>
        {busy ? "Checking..." : "Continue"}
      </Button>
    </form>
  );
}

/** New recovery codes, which are shown only once. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => Promise<void> }) {
  const site = useSite();
  const staff = useStaff();
  const [kept, setKept] = useState(false);
  const [copied, setCopied] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const list = codes.join("\n");

  async function copy() {
    try {
      await navigator.clipboard.writeText(list);
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    } catch {
      toast({ title: "Copy failed", description: "Please copy the codes manually.", destructive: true });
    }
  }

  function download() {
    const content = `Recovery codes of ${staff?.username ?? "the staff area"}, ${splitScripts(site?.site_name ?? location.host)[0]}\nEach works once.\n\n${list}\n`;
    const url = URL.createObjectURL(new Blob([content], { type: "text/plain" }));
    const link = Object.assign(document.createElement("a"), { href: url, download: "recovery-codes.txt" });
    link.click();
    URL.revokeObjectURL(url);
  }

  return (
    <div className="grid gap-4">
      <p className="text-muted">
        Keep these recovery codes in a safe place. Each one works once when you don’t have your phone. You can only see
        them now.
      </p>
      <ul
        ref={focusOnMount}
        tabIndex={-1}
        aria-label="Recovery codes"
        className="grid gap-1 rounded-md bg-sunk p-4 text-center font-mono whitespace-nowrap"
      >
        {codes.map((code) => (
          <li key={code} className="select-all">
            {code}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-3">
        <Button look="line" {...(copied ? { icon: "check" as const } : {})} onClick={copy} className="flex-1">
          {copied ? "Copied" : "Copy codes"}
        </Button>
        <Button look="line" onClick={download} className="flex-1">
          Download
        </Button>
      </div>
      <Checkbox label="I saved my recovery codes" checked={kept} onChange={(event) => setKept(event.target.checked)} />
      <Button
        disabled={!kept}
        busy={leaving}
        onClick={() => {
          setLeaving(true);
          void onDone();
        }}
      >
        Continue
      </Button>
    </div>
  );
}
