const kinds: Record<string, string> = {
  video: "Video",
  late_video: "Note about a late video",
  update: "Live update",
  letter: "Newsletter",
  update_test: "Test of a live update",
  letter_test: "Test of a newsletter",
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
};

/** The name of each kind of mail. */
export const kindName = (kind: string) => (Object.hasOwn(kinds, kind) ? kinds[kind] : "Notice about an account");
