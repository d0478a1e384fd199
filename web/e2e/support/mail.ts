import type { AddressInfo } from "node:net";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";

export type Mail = { to: string[]; subject: string; text: string; html: string; header: (name: string) => string };

/** Parses an email as a mail program would. */
export async function read(source: Buffer): Promise<Mail> {
  const mail = await PostalMime.parse(source);
  return {
    to: (mail.to ?? []).map(({ address }) => address ?? ""),
    subject: mail.subject ?? "",
    text: mail.text ?? "",
    html: mail.html ?? "",
    header: (name) => mail.headers.find(({ key }) => key === name.toLowerCase())?.value ?? "",
  };
}

/** The first URL in an email's text that leads to this page. */
export function linkTo(page: string, { text }: Mail): string {
  const link = text.split(/\s+/).find((word) => /^https?:/.test(word) && new URL(word).pathname.startsWith(page));
  if (!link) throw new Error(`No link to ${page} in:\n${text}`);
  return link;
}

/** A mail server that accepts everything except what it was told to refuse. */
export class MailServer {
  readonly mails: Mail[] = [];
  /** Mail to these addresses is refused for its content, but the addresses stay valid. */
  readonly refused = new Set<string>();
  /** These mailboxes do not exist, so mail to them is refused permanently. */
  readonly unknown = new Set<string>();

  private constructor(private readonly server: SMTPServer) {}

  static async open(): Promise<MailServer> {
    const server: SMTPServer = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onRcptTo({ address }, _session, taken) {
        taken(
          box.unknown.has(address) ? Object.assign(new Error("5.1.1 No such user here"), { responseCode: 550 }) : null,
        );
      },
      onData(stream, { envelope }, taken) {
        const pieces: Buffer[] = [];
        stream.on("data", (piece: Buffer) => pieces.push(piece));
        stream.on("end", () => {
          if (envelope.rcptTo.some(({ address }) => box.refused.has(address))) {
            return taken(Object.assign(new Error("5.7.1 Looks like spam"), { responseCode: 554 }));
          }
          read(Buffer.concat(pieces)).then((mail) => {
            box.mails.push(mail);
            taken();
          }, taken);
        });
      },
    });
    const box = new MailServer(server);
    await new Promise<void>((done, fail) => {
      server.once("error", fail);
      server.listen(0, "127.0.0.1", done);
    });
    return box;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    return new Promise((done) => this.server.close(done));
  }
}
