import type { Site } from "../api/client";
import { useSite } from "../api/queries";
import { Link } from "../lib/navigation";
import { paths } from "../lib/paths";
import { splitScripts } from "../ui/two-scripts";
import { HowToReachUs, LegalDocument, LegalShell, Points, Terms } from "./document";
import "../ui/more-icons";

/** The date on which this text was last changed. Change both together. */
const updated = "2026-11-22";
const title = "Privacy Policy";

export const Shell = () => <LegalShell title={title} updated={updated} />;

const whoWatches: Record<Site["access"], string> = {
  everyone:
    "Right now, anyone who has the address of this site can watch the videos and read the updates; no account is needed.",
  signed_in:
    "Right now, only people who are signed in can watch the videos, see their pictures and read the updates. Everyone else sees a title, a date and a neutral drawing.",
  families:
    "Right now, only families that the camp has added or approved can watch the videos, see their pictures and read the updates. Everyone else sees a title, a date and a neutral drawing.",
};

const Named = ({ children }: { children: string }) => <code className="text-[0.95em]">{children}</code>;

export default function Privacy() {
  const site = useSite();
  const [camp] = splitScripts(site?.site_name ?? "the camp");
  return (
    <LegalDocument
      title={title}
      description="What we store about families and children, why, for how long, and what you can ask for."
      updated={updated}
      lede={
        <>
          <p>
            This site shows parents how their children are doing. You should know exactly what we keep about you and
            your children, and it should be as little as possible. This page tells you in plain words.
          </p>
          <p>In short: no ads, no tracking, nothing sold, and we take down any video of your child if you ask.</p>
        </>
      }
      parts={[
        {
          id: "who-we-are",
          title: "Who we are",
          body: (
            <>
              <p>
                {camp} runs this site and is responsible for what is kept in it. “We” on this page means the camp and
                its staff.
              </p>
              <HowToReachUs />
            </>
          ),
        },
        {
          id: "what-we-keep",
          title: "What we keep, and why",
          body: (
            <>
              <p>
                Nearly everything here was typed by you, or entered by the camp’s office when you enrolled your child.
              </p>
              <Terms>
                {[
                  [
                    "Your account",
                    "Your name, email address, whether you signed up as a parent or a visitor, and when you joined: so that you can sign in. We keep your password only in scrambled form. No one, not even we, can read it.",
                  ],
                  [
                    "Your family",
                    "The name of the contact person, your child’s or children’s names, a first and a second email address and which emails you want: so that the right people get our emails.",
                  ],
                  [
                    "Payments",
                    "The total, the due date, and each payment, refund or correction with its date and note. No card or bank numbers are entered here; this site takes no payments.",
                  ],
                  [
                    "What you write",
                    "Comments, shown with your name; your reports of other people’s comments, shown only to staff; messages to the camp and our replies.",
                  ],
                  [
                    "What you like and watch",
                    "The videos you marked as favorites. We count a view at most once an hour for each viewer, with the kind of device (phone, tablet or computer) and without your IP address. While you are signed in, we remember where you stopped a video, so that it goes on there on any of your devices.",
                  ],
                  [
                    "Emails to you",
                    "Which email went to which address, when, and whether it arrived: so that nothing gets lost or is sent twice.",
                  ],
                  [
                    "Mailing list",
                    "Your address, and when you confirmed it. An address that is not confirmed gets no newsletters.",
                  ],
                  [
                    "Signed-in devices",
                    "The kind of device, when it signed in and when it was last used, so that you can sign out a device that is not yours.",
                  ],
                  [
                    "Protection from abuse",
                    "How often something was tried, for example a password, under a scrambled key that does not show the IP address; deleted within days.",
                  ],
                ]}
              </Terms>
              <p>
                We use this to run the camp and this site and to keep the records that the law requires, and for nothing
                else.
              </p>
            </>
          ),
        },
        {
          id: "children",
          title: "Children and their videos",
          body: (
            <>
              <p>Our staff film and photograph ordinary days at camp.</p>
              <Points>
                {site && (
                  <li>
                    <strong className="font-medium">Who may watch.</strong> {whoWatches[site.access]} The camp may
                    change this, and this sentence changes with it.
                  </li>
                )}
                <li>
                  <strong className="font-medium">What is not shown.</strong> We do not write children’s full names into
                  titles or descriptions, and we do not film in changing rooms, bathrooms or the infirmary, or when a
                  child is upset or asks us not to.
                </li>
                <li>
                  <strong className="font-medium">Your choice.</strong> You can tell us at any time not to film your
                  child or to take down a video. We take it down first and talk later. You don’t need to give a reason.
                </li>
                <li>
                  <strong className="font-medium">No accounts for children.</strong> Accounts are for adults. We do not
                  knowingly collect anything from a child; what we know about a child comes from the parents. If you
                  think a child has created an account, tell us and we will delete it.
                </li>
                <li>
                  <strong className="font-medium">No face recognition.</strong> We do not use face recognition, and we
                  do not let anyone use the videos to train software or for ads.
                </li>
                <li>
                  <strong className="font-medium">No location.</strong> When staff upload a product picture, hidden data
                  such as the place it was taken is removed.
                </li>
              </Points>
            </>
          ),
        },
        {
          id: "cookies",
          title: "Cookies and your device",
          body: (
            <>
              <p>There is no cookie banner because we use no cookies that need your consent. Your browser keeps:</p>
              <Points>
                <li>
                  the cookie <Named>session</Named>, which keeps you signed in, for at most 90 days, or 14 days without
                  a visit;
                </li>
                <li>
                  the cookie <Named>device</Named>, once you have signed in: random numbers, signed by us, for a year
                  after the last time, so that you don’t have to wait when someone else on your network guesses
                  passwords;
                </li>
                <li>
                  the cookie <Named>browser</Named>, once you play a video without being signed in: a random number,
                  signed by us, for a year, so that one viewer is not counted many times;
                </li>
                <li>
                  for our staff only, the cookie <Named>staff</Named>, which keeps them signed in, for at most 12 hours,
                  and the cookie <Named>known</Named>, for a year, so that we notice when an account is used in a new
                  browser;
                </li>
                <li>
                  in its own storage, whether you chose light or dark, whether you have already seen the welcome and, if
                  you turned notifications on, that you did and which updates were shown last; for our staff also a
                  newsletter that is not sent yet, until that tab is closed.
                </li>
              </Points>
              <p>
                On a secure (https) site the names of the cookies start with <Named>__Host-</Named>, except{" "}
                <Named>browser</Named>. No other site can read them, and none is used for ads.
              </p>
              <p>
                Your browser shows notifications itself while this site is open in it. No other company passes them on,
                and they stop when you turn them off.
              </p>
            </>
          ),
        },
        {
          id: "others",
          title: "Videos and shops of other companies",
          body: (
            <>
              <p>
                Some videos, mostly of past summers, are on YouTube or Google Drive. Their player loads only when you
                press play. From then on that company sees your IP address, and its own privacy policy applies. For
                YouTube we use its address without advertising cookies. The preview pictures of these videos come from
                the same companies, so lists with these videos show them your IP address too. We send them nothing else,
                not even which page you are on.
              </p>
              <p>
                If the Store page contains another company’s shop, the shop loads in a separate frame when you open the
                page, and what you enter there goes to that company, not to us.
              </p>
              <p>
                The buttons that share a video by email or WhatsApp open your own app. We do not see who you share with.
              </p>
            </>
          ),
        },
        {
          id: "who-sees-it",
          title: "Who sees it",
          body: (
            <Points>
              <li>Camp staff, each with their own account. What they change is recorded.</li>
              <li>
                Other visitors see your comments with your name. They never see your email address, your child’s name or
                your payments.
              </li>
              <li>
                The companies that run the server, store the files and deliver the emails, on our instructions only.
              </li>
              <li>Authorities, if the law requires it.</li>
              <li>No one else. We do not sell, rent or trade your information.</li>
            </Points>
          ),
        },
        {
          id: "how-long",
          title: "How long we keep it",
          body: (
            <Terms>
              {[
                [
                  "Your account",
                  "Until you delete it on your profile page. Your comments then stay without your name, as “Former member”; you can delete them first. We also remove your name and your present and earlier addresses from the emails and messages we keep.",
                ],
                [
                  "Your family",
                  "While your child comes to camp or may come back. Ask us and we will remove it: names and addresses are deleted right away, also from emails and messages, and emails still waiting are not sent. If you had unsubscribed, we keep a scrambled key that does not show your address, so that a later list does not subscribe you again; only you can, when you sign up or on your profile page. The mailing list is separate, and you stay on it until you leave it.",
                ],
                ["Emails to you", "Who an email went to: 13 months. After that we keep only how many were sent."],
                ["Payments", "As long as the law requires us to keep records, even after the account is deleted."],
                ["Videos", "They stay in the Gallery until you ask us to remove one, or we do."],
                [
                  "Messages",
                  "At most two years after the last change, with our replies. Ask us to delete one sooner, and we will.",
                ],
                [
                  "Mailing list",
                  "Until you unsubscribe with the link in any newsletter; then we keep only such a scrambled key. An address that no one confirms is deleted after a week.",
                ],
                ["Sign-in sessions", "14 days without a visit, 90 days at most."],
                ["Links in emails", "From an hour for a new password to 30 days for an invitation; each works once."],
                ["What staff change", "Kept, with numbers in place of names and addresses."],
                [
                  "Sign-ins that failed",
                  "Kept. Of a name or email without an account, only the first two letters and the part after the @.",
                ],
                ["Backups", "Backups are overwritten in turn, so deleted data disappears from them over time."],
              ]}
            </Terms>
          ),
        },
        {
          id: "your-rights",
          title: "What you can ask for",
          body: (
            <>
              <p>Wherever you live, you can:</p>
              <Points>
                <li>
                  <strong className="font-medium">see</strong> what we have about you and your child, and get a copy;
                </li>
                <li>
                  <strong className="font-medium">correct</strong> it;
                </li>
                <li>
                  <strong className="font-medium">delete</strong> your account, or ask us to delete more;
                </li>
                <li>
                  <strong className="font-medium">stop emails</strong>, one kind or all, with the link at the bottom of
                  each; you still get receipts and emails about your account;
                </li>
                <li>
                  <strong className="font-medium">object</strong> to a video, or to anything else we do with your
                  information.
                </li>
              </Points>
              <p>
                You can do much of this on your profile page. For the rest{" "}
                <Link to={paths.contact} className="link">
                  write to us
                </Link>
                : we answer within 30 days, and during the season usually within 24 hours. We may ask you to show that
                you are the parent. If you are not happy with our answer, you can contact the data protection or
                consumer authority where you live.
              </p>
            </>
          ),
        },
        {
          id: "safety",
          title: "How it is kept safe",
          body: (
            <p>
              Connections are encrypted, scripts cannot read sign-in cookies, password guessing is slowed down, uploaded
              files are checked, and only camp staff can see families and payments. No system is perfect: if something
              goes wrong with your data, we will tell you promptly what happened and what you can do.
            </p>
          ),
        },
        {
          id: "changes",
          title: "When this page changes",
          body: (
            <p>
              The date at the top is the day this page last changed. If a change matters to you or your child, we will
              also email you before it takes effect.
            </p>
          ),
        },
        {
          id: "contact",
          title: "Questions",
          body: (
            <>
              <p>Ask us anything about this page or about a video of your child.</p>
              <HowToReachUs />
            </>
          ),
        },
      ]}
    />
  );
}
