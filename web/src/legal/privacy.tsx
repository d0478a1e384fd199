import { Link } from "react-router";
import type { Site } from "../api/client";
import { useSite } from "../api/queries";
import { paths } from "../lib/paths";
import { splitScripts } from "../ui/two-scripts";
import { HowToReachUs, LegalDocument, Points, Terms } from "./document";

/** The day on which this text was last changed: change both together. */
const updated = "2026-11-21";

const whoWatches: Record<Site["access"], string> = {
  everyone:
    "At present everybody who has the address of this portal can watch the videos and read the updates; no account is needed.",
  signed_in:
    "At present only people who are signed in can watch the videos, see the real pictures and read the updates. Everybody else sees a title, a date and a neutral drawing.",
  families:
    "At present only families whom the camp knows, and has added or approved, can watch the videos, see the real pictures and read the updates. Everybody else sees a title, a date and a neutral drawing.",
};

const Named = ({ children }: { children: string }) => <code className="text-[0.95em]">{children}</code>;

export default function Privacy() {
  const site = useSite();
  const [camp] = splitScripts(site?.site_name ?? "the camp");
  return (
    <LegalDocument
      title="Privacy Policy"
      description="What we store about families and children, why, for how long, and what you can ask for."
      updated={updated}
      lede={
        <>
          <p>
            This portal shows parents how their children are doing. That is only right if parents know exactly what is
            kept about them and their children, and if it is as little as possible. This page says so in plain words.
          </p>
          <p>
            In short: no advertising, no tracking by others, nothing sold, and a word to us is enough to have a video of
            your child taken down.
          </p>
        </>
      }
      parts={[
        {
          id: "who-we-are",
          title: "Who we are",
          body: (
            <>
              <p>
                {camp} runs this portal and answers for what is kept in it. “We” on this page means the camp and its
                staff.
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
                Nearly everything here was either typed by you or entered by the camp’s office when your child was
                enrolled.
              </p>
              <Terms>
                {[
                  [
                    "Your account",
                    "Your name, email address, whether you came as a parent or a visitor, and when you joined: so that you can sign in. Your password is kept only as a one-way fingerprint that nobody, not even we, can turn back.",
                  ],
                  [
                    "Your family",
                    "The name of the contact person, your child’s or children’s names, a first and a second email address and which emails you want: so that the right people hear from us.",
                  ],
                  [
                    "Payments",
                    "The total, the due date, and each payment, refund or correction with its date and note. Card and bank numbers are never entered here; the portal takes no payments.",
                  ],
                  [
                    "What you write",
                    "Comments, shown with your name; your word to us that somebody else’s comment should not stand, shown to staff only; messages to the camp and our answers to them.",
                  ],
                  [
                    "What you like and watch",
                    "The videos that you marked as favorites. A view is counted at most once an hour for each viewer, with the kind of device (phone, tablet or computer) and without your network address.",
                  ],
                  [
                    "Emails to you",
                    "Which email went to which address, when, and whether it arrived: so that nothing is lost and nothing is sent twice.",
                  ],
                  [
                    "Mailing list",
                    "Your address, and when you confirmed it. An address that is not confirmed gets no newsletters.",
                  ],
                  [
                    "Signed-in devices",
                    "The kind of device, when it signed in and when it was last used, so that you can end a session that is not yours.",
                  ],
                  [
                    "Protection from abuse",
                    "How often something was tried, for example a password, under a scrambled key from which the network address cannot be read; forgotten within days.",
                  ],
                ]}
              </Terms>
              <p>
                We use this to run the camp and this portal, to keep the books that the law asks of us, and for nothing
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
              <p>The videos and pictures are made by our staff, of ordinary days at camp.</p>
              <Points>
                {site && (
                  <li>
                    <strong className="font-medium">Who may watch.</strong> {whoWatches[site.access]} The camp may
                    change this; this sentence changes with it.
                  </li>
                )}
                <li>
                  <strong className="font-medium">What is not shown.</strong> We do not write children’s full names into
                  titles or descriptions, and we do not film in changing rooms, bathrooms, the infirmary, or a child who
                  is upset or asks us not to.
                </li>
                <li>
                  <strong className="font-medium">Your say.</strong> You may tell us at any time, before the summer or
                  during it, that your child should not be filmed, or that a certain video should come down. We first
                  take it down and talk afterwards. You need not give a reason.
                </li>
                <li>
                  <strong className="font-medium">No accounts for children.</strong> Accounts are for adults. We do not
                  knowingly collect anything from a child; what we know of a child comes from the parents. If you
                  believe that a child has made an account, tell us and we delete it.
                </li>
                <li>
                  <strong className="font-medium">No recognition.</strong> We do not use face recognition, and we do not
                  let anybody use the videos to train software or for advertising.
                </li>
                <li>
                  <strong className="font-medium">No location.</strong> Hidden data in product pictures, such as the
                  place where one was taken, is removed when it is uploaded.
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
              <p>There is no cookie banner because there is nothing to consent to. Your browser keeps:</p>
              <Points>
                <li>
                  the cookie <Named>session</Named>, which keeps you signed in, for at most 90 days, and ended sooner
                  after 14 days without a visit;
                </li>
                <li>
                  the cookie <Named>device</Named>, once you have signed in: random numbers with our seal on them, for a
                  year after the last time, by which you are not made to wait when somebody else on your network guesses
                  passwords;
                </li>
                <li>
                  the cookie <Named>browser</Named>, once you play a video without being signed in: a random number with
                  our seal on it, for a year, so that one viewer is not counted as many;
                </li>
                <li>
                  for our staff only, the cookie <Named>staff</Named>, which keeps them signed in, for at most 12 hours,
                  and the cookie <Named>known</Named>, by which we notice for a year that an account is used in a
                  browser where it was not used before;
                </li>
                <li>
                  in its own storage, whether you chose light or dark, whether you have already seen the welcome and, if
                  you switched notifications on, that you did and which news were shown last; for our staff also a
                  newsletter to the families that is not sent yet, until that tab is closed.
                </li>
              </Points>
              <p>
                Over a secure address the names of the cookies begin with <Named>__Host-</Named>, save that of{" "}
                <Named>browser</Named>. None of them can be read by another site, and none is used for advertising.
              </p>
              <p>
                Notifications are shown by your browser itself, while a page of the portal is open in it. No other
                company passes them on, and they end when you switch them off.
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
                Some videos, mostly of earlier summers, are kept at YouTube or Google Drive. Their player is loaded only
                when you press play. From that moment that company learns your network address and its own privacy
                policy applies. For YouTube we use its address without advertising cookies. The preview pictures of
                these videos come from the same companies, so that a list which contains one tells them your network
                address too; we send them nothing else, not even which page you are on.
              </p>
              <p>
                If the Store page contains a shop of another company, that shop is loaded in a closed-off frame when you
                open the page, and what you enter in it goes to that company, not to us.
              </p>
              <p>
                The buttons that share a video by mail or WhatsApp open your own program. We do not learn with whom you
                share.
              </p>
            </>
          ),
        },
        {
          id: "who-sees-it",
          title: "Who sees it",
          body: (
            <Points>
              <li>Staff of the camp, each with an account of their own. What they change is recorded.</li>
              <li>
                Other visitors see your comments with your name. They never see your email address, your child’s name or
                your payments.
              </li>
              <li>
                The companies that run the server, store the files and deliver the emails, on our instructions only.
              </li>
              <li>Authorities, if the law leaves us no choice.</li>
              <li>Nobody else. We do not sell, rent or swap what we know of you.</li>
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
                  "Until you delete it on your profile page. Your comments then stay without your name, as “Former member”; you can delete them yourself before. Your name and address go from the emails and messages that we keep.",
                ],
                [
                  "Your family",
                  "While your child comes to camp or may come back. Ask us, and we remove it: names and addresses go at once, also from emails and messages, and what still waits to be sent is not sent. If you had stopped our emails, a scrambled key of the address, from which it cannot be read, keeps a later list from bringing them back. The mailing list is a wish of its own and stays until you leave it.",
                ],
                ["Emails to you", "To whom an email went: 13 months. After that we only keep how many were sent."],
                ["Payments", "As long as the law asks us to keep books, even when the account is gone."],
                ["Videos", "They stay in the Gallery for families to look back on, until we or you want one removed."],
                [
                  "Messages",
                  "Two years after the last change to them at the longest, with our answers. Ask us to delete one earlier, and we do.",
                ],
                [
                  "Mailing list",
                  "Until you leave it. Every newsletter has a link for that. An address that nobody confirms is forgotten after a week.",
                ],
                ["Sign-in sessions", "14 days without a visit, 90 days at most."],
                ["Links in emails", "From an hour for a new password to 30 days for an invitation; each works once."],
                ["What staff change", "The record of it has numbers in place of names and addresses, and stays."],
                ["Backups", "Copies for emergencies are overwritten in turn; what was deleted leaves them with time."],
              ]}
            </Terms>
          ),
        },
        {
          id: "your-rights",
          title: "What you can ask for",
          body: (
            <>
              <p>Wherever you live, you may:</p>
              <Points>
                <li>
                  <strong className="font-medium">see</strong> what we hold about you and your child, and have a copy of
                  it;
                </li>
                <li>
                  <strong className="font-medium">correct</strong> it;
                </li>
                <li>
                  <strong className="font-medium">delete</strong> your account, or ask us to delete more;
                </li>
                <li>
                  <strong className="font-medium">stop emails</strong>, one kind or all, with the link at the end of
                  each; receipts and messages about your account still come;
                </li>
                <li>
                  <strong className="font-medium">object</strong> to a video or to anything else that we do with what we
                  know of you.
                </li>
              </Points>
              <p>
                Much of this is on your profile page. For the rest{" "}
                <Link to={paths.contact} className="link">
                  write to us
                </Link>
                : we answer within 30 days, during the season usually within 24 hours. We may ask you to show that you
                are the parent. If you are not content with our answer, you may turn to the data protection or consumer
                authority where you live.
              </p>
            </>
          ),
        },
        {
          id: "safety",
          title: "How it is kept safe",
          body: (
            <p>
              Connections are encrypted, sign-in cookies cannot be read by scripts, guessing of passwords is slowed
              down, files are checked before they are taken in, and only staff whose task needs it can see families and
              payments. No system is perfect: should something go wrong with your data, we tell you without delay, what
              happened and what you can do.
            </p>
          ),
        },
        {
          id: "changes",
          title: "When this page changes",
          body: (
            <p>
              The date at the top is the day on which the text last changed. If a change matters to you or your child,
              we also tell you by email before it takes effect.
            </p>
          ),
        },
        {
          id: "contact",
          title: "Questions",
          body: (
            <>
              <p>Ask whatever you like about this page, or about a video of your child.</p>
              <HowToReachUs />
            </>
          ),
        },
      ]}
    />
  );
}
