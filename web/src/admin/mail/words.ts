import type { MailReport, SampleName } from "./queries";

const kinds: Record<string, string> = {
  video: "Video",
  late_video: "Note about a late video",
  update: "Live update",
  letter: "Newsletter",
  digest: "One email a day",
  update_test: "Test of a live update",
  letter_test: "Test of a newsletter",
  sample_test: "Test of an email",
  message: "Message to the camp",
  messages_wait: "More messages in the portal",
  message_received: "Thanks for a message",
  message_reply: "Reply",
  payment: "Payment receipt",
  payment_reminder: "Payment reminder",
  invitation: "Invitation",
  approved: "Approval",
  refused: "Refusal",
  verify: "Confirmation of an address",
  change_email: "Confirmation of an address",
  secondary_email: "Confirmation of an address",
  subscribe: "Confirmation for the mailing list",
  reset: "Link for a new password",
  staff_reset: "Link for a new password",
  alert: "Alert to an owner",
  address_refused: "Note that another address bounces",
};

/** The name of each kind of email. */
export const kindName = (kind: string) => (Object.hasOwn(kinds, kind) ? kinds[kind] : "Notice about an account");

/** Why an email bounced. */
export const causes: Record<MailReport["cause"], string> = {
  no_such_address: "The address does not exist.",
  no_such_domain: "The part after the @ does not exist.",
  disabled: "The mailbox was closed.",
  mailbox_full: "The mailbox is full.",
  unreachable: "The recipient’s mail server could not be reached.",
  policy: "The recipient’s mail server refused this email, but not the address.",
  content: "The recipient’s mail server could not take this email, for example because of its size.",
  forwarding: "The mailbox forwards to an address that does not work.",
  spam: "The recipient marked the email as spam.",
  other: "The recipient’s mail server refused the email.",
};

/** What to do about a report. */
export function advice({ kind, refused, mail }: MailReport) {
  if (refused) return "Ask the family and correct the address, or allow emails once it works again.";
  switch (kind) {
    case "hard":
      return "Emails go to this address again.";
    case "soft":
      return "Nothing to do yet. If this happens on three days within ten, we stop sending.";
    case "blocked":
      return "We go on sending. If several emails are refused like this, ask whoever runs the portal to look into it.";
    case "complaint":
      if (mail === "digest") {
        return "We stopped emails about videos, updates and newsletters to the address. The family can turn them on again on its profile.";
      }
      return ["video", "late_video", "update", "letter"].includes(mail)
        ? "We stopped this kind of email to the address. The family can turn it on again on its profile."
        : "This kind of email goes on, since nobody can turn it off.";
  }
}

/** Who gets which emails, in the order of the list. */
export const groups: { group: SampleName["group"]; label: string }[] = [
  { group: "families", label: "To families" },
  { group: "mailing_list", label: "To the mailing list" },
  { group: "senders", label: "To people who write to us" },
  { group: "staff", label: "To staff and the camp" },
];
