import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { isApiError } from "../api/client";
import { useSession, useSite } from "../api/queries";
import { required, text, useForm, waitingTime, type Errors } from "../lib/forms";
import { navigate, useSearch } from "../lib/navigation";
import { useHistoryState, useSearchParams } from "../lib/address";
import { writeUnsent, readUnsent, useUnsentDeletions } from "../lib/unsent";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { telephone } from "../lib/telephone";
import { Button } from "../ui/button";
import { Choices, EmailInput, Field, FormMessage, TextArea, TextInput } from "../ui/field";
import { Icon, type IconName } from "../ui/icon";
import { toast } from "../ui/toast";
import { writeToCamp, type NewMessage } from "./queries";
import { SentMessage, type Sent } from "./sent-message";
import "../ui/more-icons";

const roles = [
  { value: "parent", label: "Parent" },
  { value: "guest", label: "Guest" },
] as const;

const departments = [
  { value: "staff", label: "Camp staff", hint: "Your child, visits, payments, the store" },
  { value: "video_team", label: "Video team", hint: "Videos, pictures and this site" },
] as const;

export default function Contact() {
  const site = useSite();
  const { user, pending } = useSession();
  const deletions = useUnsentDeletions();
  const state = useHistoryState();
  const search = useSearch();
  // What a button on this page has just shown. It gets the focus.
  const [arrived, setArrived] = useState<"sent" | "form" | null>(null);
  // This history entry shows the sent message, even after a reload or Back. A link opens an empty form.
  const id = (state as { sent?: string } | null)?.sent;
  const kept = id && !pending ? readUnsent<Sent>("sent message", user?.id) : null;
  const sent = kept?.id === id ? kept : null;

  function showSent(fresh: Sent) {
    writeUnsent("sent message", user?.id, fresh);
    setArrived("sent");
    navigate(paths.contact + search, { replace: true, state: { sent: fresh.id } });
  }

  function another() {
    // Drops the subject from the URL, because that message was sent.
    setArrived("form");
    navigate(paths.contact, { replace: true });
  }

  return (
    <div className="wrap pt-8 md:pt-12">
      <PageMeta title="Contact" description="Write to the camp staff or the video team, or call the office." />
      <div className="grid gap-x-16 gap-y-10 lg:grid-cols-[minmax(0,1fr)_var(--container-aside)]">
        <div>
          <Heading />
          {sent ? (
            <SentMessage sent={sent} focused={arrived === "sent"} onAnother={another} />
          ) : (
            <ContactForm key={`${deletions} ${search}`} focused={arrived === "form"} onSent={showSent} />
          )}
        </div>
        <aside aria-label="Other ways to reach us" className="lg:pt-2">
          <img
            src="/art/hero-noon.svg"
            alt=""
            width={1440}
            height={900}
            className="mb-6 aspect-[5/3] w-full rounded-lg object-cover object-bottom max-lg:hidden"
          />
          <ul className="grid gap-5">
            {site?.contact_phone && (
              <Way icon="phone" title="Urgent? Call the office">
                <a href={telephone(site.contact_phone)} className="link">
                  <bdi dir="ltr" className="tabular-nums">
                    {site.contact_phone}
                  </bdi>
                </a>
              </Way>
            )}
            {site?.contact_email && (
              <Way icon="mail" title="Email">
                <a href={`mailto:${site.contact_email}`} className="link wrap-anywhere">
                  {site.contact_email}
                </a>
              </Way>
            )}
            <Way icon="clock" title="When we answer">
              Within 24 hours during season.
            </Way>
          </ul>
        </aside>
      </div>
    </div>
  );
}

const Heading = () => (
  <>
    <h1>Contact Us</h1>
    <p className="mt-3 max-w-[52ch] text-lg text-muted">Ask us anything. Someone at camp reads every message.</p>
  </>
);

/** The page without its form. */
export const Shell = () => (
  <div className="wrap pt-8 md:pt-12">
    <Heading />
  </div>
);

const Way = ({ icon, title, children }: { icon: IconName; title: string; children: ReactNode }) => (
  <li className="flex gap-4">
    <span className="grid size-11 shrink-0 place-items-center rounded-full bg-pine-wash text-pine">
      <Icon name={icon} />
    </span>
    <div className="min-w-0">
      <h2 className="font-sans text-base font-medium">{title}</h2>
      <p className="text-muted">{children}</p>
    </div>
  </li>
);

type UnsentMessage = Record<
  "name" | "email" | "child_name" | "subject" | "user_type" | "department" | "message",
  string
>;

function ContactForm({ focused, onSent }: { focused: boolean; onSent: (sent: Sent) => void }) {
  const { unsent, keep } = useUnsentMessage();
  const product = useSearchParams()[0].get("product")?.trim();
  const { busy, errors, message, form } = useForm({
    check: required({
      name: "Please enter your name.",
      email: "Please enter your email.",
      user_type: "Please choose parent or guest.",
      department: "Please choose who should read it.",
      subject: "Please enter a subject.",
      message: "Please write a message first.",
    }),
    submit: (data) => writeToCamp(messageOf(data)),
    done: ({ copy_mailed }, filledIn) => {
      onSent(sentMessage(messageOf(new FormData(filledIn)), copy_mailed));
      toast({ title: "Message Sent!", description: "We'll get back to you within 24 hours during season." });
    },
    failed: (error) =>
      isApiError(error, "too_many_requests") &&
      error.retryAfter !== null &&
      `You have sent several messages in the last hour. You can send the next one in ${waitingTime(error.retryAfter)}. What you wrote stays here.`,
    keep,
  });

  return (
    <form {...form} className="mt-8 grid gap-5">
      <SenderFields unsent={unsent} errors={errors} />
      <MessageFields unsent={unsent} errors={errors} product={product} focused={focused} />
      <Honeypot />
      <FormMessage>{message}</FormMessage>
      <Button type="submit" busy={busy} icon="mail" className="justify-self-start max-sm:w-full">
        {busy ? "Sending..." : "Send Message"}
      </Button>
    </form>
  );
}

/** The text typed earlier on this page. Each subject in the URL has its own. */
function useUnsentMessage() {
  const { user, pending } = useSession();
  const name = `message ${useSearch()}`;
  const unsent = useMemo(() => (pending ? null : readUnsent<UnsentMessage>(name, user?.id)), [name, user?.id, pending]);
  const early = useRef<FormData | null>(null);
  const keep = (typed: FormData | null) => {
    typed?.delete("website");
    // Waits for the session, because the form does not contain the earlier text yet.
    early.current = pending ? typed : null;
    if (!early.current) writeUnsent(name, user?.id, typed && Object.fromEntries(typed));
  };

  useEffect(() => {
    if (pending || !early.current) return;
    const typed = [...early.current].filter(([, value]) => value !== "");
    early.current = null;
    writeUnsent(name, user?.id, { ...unsent, ...Object.fromEntries(typed) });
  }, [pending, name, user?.id, unsent]);

  return { unsent, keep };
}

const messageOf = (data: FormData): NewMessage => ({
  name: text(data, "name").trim(),
  email: text(data, "email").trim(),
  child_name: text(data, "child_name").trim() || null,
  subject: text(data, "subject").trim(),
  user_type: text(data, "user_type") === "parent" ? "parent" : "guest",
  department: text(data, "department") === "video_team" ? "video_team" : "staff",
  message: text(data, "message"),
  website: text(data, "website"),
});

const sentMessage = ({ email, subject, department, message, child_name }: NewMessage, copyMailed: boolean): Sent => ({
  id: `${Date.now()}`,
  email,
  subject,
  department: departments.find(({ value }) => value === department)?.label ?? "",
  message: message.trim(),
  child_name: child_name ?? null,
  copyMailed,
});

type FieldsProps = { unsent: UnsentMessage | null; errors: Errors };

function SenderFields({ unsent, errors }: FieldsProps) {
  const { user } = useSession();
  return (
    <>
      <div className="grid items-start gap-5 sm:grid-cols-2">
        <Field label="Your Name" error={errors.name}>
          <TextInput
            name="name"
            autoComplete="name"
            dir="auto"
            maxLength={120}
            defaultValue={unsent?.name ?? user?.full_name ?? ""}
            required
          />
        </Field>
        <Field label="Email" error={errors.email}>
          <EmailInput name="email" maxLength={320} defaultValue={unsent?.email ?? user?.email ?? ""} required />
        </Field>
      </div>
      <Choices
        legend="I am a"
        name="user_type"
        options={roles}
        defaultValue={
          (unsent?.user_type as "parent" | "guest" | undefined) ??
          (user ? (user.user_type === "parent" ? "parent" : "guest") : undefined)
        }
        error={errors.user_type}
      />
      <Field label="Child's Name" optional error={errors.child_name}>
        <TextInput
          name="child_name"
          autoComplete="off"
          dir="auto"
          maxLength={200}
          defaultValue={unsent?.child_name ?? ""}
        />
      </Field>
    </>
  );
}

/** The message fields. A link from the store fills in the subject with its product. */
function MessageFields({
  unsent,
  errors,
  product,
  focused,
}: FieldsProps & { product: string | undefined; focused: boolean }) {
  const [params] = useSearchParams();
  const subjectInput = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (focused) subjectInput.current?.focus();
  }, [focused]);
  const subject = unsent?.subject ?? (params.get("subject")?.trim() || (product ? `Order: ${product}` : ""));
  return (
    <>
      <Choices
        legend="Who should read it?"
        name="department"
        options={departments}
        defaultValue={(unsent?.department as "staff" | "video_team" | undefined) ?? (product ? "staff" : undefined)}
        error={errors.department}
      />
      <Field label="Subject" error={errors.subject}>
        <TextInput
          ref={subjectInput}
          name="subject"
          autoComplete="off"
          dir="auto"
          maxLength={200}
          defaultValue={subject.slice(0, 200)}
          required
        />
      </Field>
      <Field label="Message" error={errors.message}>
        <TextArea
          name="message"
          dir="auto"
          rows={7}
          maxLength={5000}
          defaultValue={unsent?.message ?? ""}
          placeholder={product ? "Which size or color, how many, and for which bunk?" : undefined}
          required
        />
      </Field>
    </>
  );
}

/** A field that people do not see, but programs that fill in forms do. */
const Honeypot = () => (
  <div aria-hidden="true" className="sr-only">
    <label>
      Website <input name="website" type="text" tabIndex={-1} autoComplete="off" />
    </label>
  </div>
);
