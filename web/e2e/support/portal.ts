import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { MailServer, read, type Mail } from "./mail";

export type Setting = string | number | boolean;

export type Plan = {
  /** How email is sent: as .eml files in the data folder, or over SMTP to a real mail server. */
  post: "folder" | "smtp";
  /** Whether to create the sample camp. */
  seeded: boolean;
  settings: Record<string, Setting>;
};

const binary = resolve(import.meta.dirname, "../../..", process.env.CAMP_E2E_BIN ?? "target/debug/camp");

/** A separate portal: a folder, a database, a mailbox, and the binary with site, API and worker. */
export class Portal {
  private process: ChildProcess | undefined;
  private log = "";
  private readonly seen = new Map<string, Mail>();

  private constructor(
    readonly folder: string,
    readonly url: string,
    private readonly server: MailServer | null,
  ) {}

  static async open(plan: Plan): Promise<Portal> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await Portal.attempt(plan);
      } catch (error) {
        // Another process may take the free port before the portal listens on it.
        if (attempt === 3 || !/address.*in use/i.test(String(error))) throw error;
      }
    }
  }

  private static async attempt({ post, seeded, settings }: Plan): Promise<Portal> {
    if (!existsSync(binary))
      throw new Error(`There is no ${binary}. Run \`cargo build -p cli\`, or name one in CAMP_E2E_BIN.`);
    const folder = await mkdtemp(join(tmpdir(), "camp-e2e-"));
    const server = post === "smtp" ? await MailServer.open() : null;
    const portal = new Portal(folder, `http://127.0.0.1:${await freePort()}`, server);
    try {
      if (seeded) portal.run(["seed", "--sample-logins"]);
      // Settings need an existing camp, so this creates one.
      else if (Object.keys(settings).length > 0) portal.run(["migrate"]);
      for (const [key, value] of Object.entries(settings)) portal.run(["settings", "set", key, String(value)]);
      await portal.start();
    } catch (error) {
      await portal.close();
      throw error;
    }
    return portal;
  }

  /** Runs a command of the binary in this camp and returns its output. */
  run(args: string[], input = ""): string {
    const said = spawnSync(binary, args, { env: this.environment(), input, encoding: "utf8" });
    if (said.status !== 0)
      throw new Error(`camp ${args.join(" ")} ended with ${said.status}: ${said.stderr || said.error?.message}`);
    return said.stdout;
  }

  private environment() {
    const own = Object.entries(process.env).filter(([name]) => !name.startsWith("CAMP_"));
    return {
      ...Object.fromEntries(own),
      CAMP_DATA_DIR: this.folder,
      CAMP_BIND: new URL(this.url).host,
      ...(this.server ? { CAMP_SMTP_URL: this.server.url } : {}),
    };
  }

  private async start() {
    const child = spawn(binary, ["serve", "--with-worker"], {
      env: this.environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.process = child;
    process.once("exit", this.kill);
    const keep = (text: Buffer) => (this.log += text.toString());
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    for (const deadline = Date.now() + 300_000; ; await pause(20)) {
      if (child.exitCode !== null) throw new Error(`The portal ended with ${child.exitCode}:\n${this.log}`);
      if (await answers(`${this.url}/readyz`)) return;
      if (Date.now() > deadline) throw new Error(`The portal is not ready after five minutes:\n${this.log}`);
    }
  }

  /** All problems so far: failed jobs, and errors in the log. */
  async troubles(): Promise<string[]> {
    const ready = await fetch(`${this.url}/readyz`).then((answer) => answer.json() as Promise<{ failed_jobs: number }>);
    const errors = this.log.split("\n").filter((line) => /"level":"ERROR"| ERROR /.test(line));
    return [...errors, ...(ready.failed_jobs > 0 ? [`${ready.failed_jobs} failed jobs were left behind`] : [])];
  }

  get logged(): string {
    return this.log;
  }

  /** All emails sent so far. */
  async mails(): Promise<Mail[]> {
    if (this.server) return this.server.mails;
    const box = join(this.folder, "mail");
    const names = existsSync(box) ? (await readdir(box)).filter((name) => name.endsWith(".eml")).toSorted() : [];
    for (const name of names) {
      if (!this.seen.has(name)) this.seen.set(name, await read(await readFile(join(box, name))));
    }
    return [...this.seen.values()];
  }

  async mailsTo(address: string, subject: RegExp): Promise<Mail[]> {
    return (await this.mails()).filter((mail) => mail.to.includes(address) && subject.test(mail.subject));
  }

  /** From now on, the mail server refuses mail to these addresses for its content. */
  refuseMailTo(...addresses: string[]) {
    if (!this.server) throw new Error('Only a mail server refuses mail: test.use({ post: "smtp" })');
    this.server.refused.clear();
    for (const address of addresses) this.server.refused.add(address);
  }

  /** From now on, these mailboxes do not exist. */
  nobodyHas(...addresses: string[]) {
    if (!this.server) throw new Error('Only a mail server refuses mail: test.use({ post: "smtp" })');
    this.server.unknown.clear();
    for (const address of addresses) this.server.unknown.add(address);
  }

  /** Waits for the newest matching email. */
  async mailTo(address: string, subject: RegExp): Promise<Mail> {
    for (const deadline = Date.now() + 120_000; Date.now() < deadline; await pause(50)) {
      const mail = (await this.mailsTo(address, subject)).at(-1);
      if (mail) return mail;
    }
    throw new Error(`No mail to ${address} about ${subject} came within two minutes.`);
  }

  /** Also runs when a test run is interrupted. */
  private readonly kill = () => this.process?.kill("SIGKILL");

  /** Restarts the server as an upgrade does: it stops, and is available again some seconds later. */
  async restart(away = 0) {
    await this.stop();
    await pause(away);
    await this.start();
  }

  private async stop() {
    process.off("exit", this.kill);
    const child = this.process;
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), 60_000);
      await ended;
      clearTimeout(late);
    }
  }

  async close() {
    await this.stop();
    await this.server?.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

async function answers(url: string) {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer().once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    });
  });
}
