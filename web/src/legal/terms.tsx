import { Link } from "react-router";
import { useSite } from "../api/queries";
import { paths } from "../lib/paths";
import { splitScripts } from "../ui/two-scripts";
import { HowToReachUs, LegalDocument, Points } from "./document";

/** The day on which this text was last changed: change both together. */
const updated = "2026-11-21";

export default function TermsOfService() {
  const site = useSite();
  const [camp] = splitScripts(site?.site_name ?? "the camp");
  const phone = site?.contact_phone;
  return (
    <LegalDocument
      title="Terms of Service"
      description="The rules for using this site: accounts, videos of children, comments, payments and the store."
      updated={updated}
      lede={
        <>
          <p>
            These are the rules for using this portal. Most of them come down to one: treat other people’s children as
            you want yours to be treated.
          </p>
          <p>By using the portal you agree to them. If you cannot, please do not use it, and call us instead.</p>
        </>
      }
      parts={[
        {
          id: "portal",
          title: "What the portal is",
          body: (
            <>
              <p>
                {camp} runs this portal to show families the days at camp, to tell them news, and to answer their
                questions. It goes along with the agreement that you signed when you enrolled your child. Where the two
                differ, that agreement comes first.
              </p>
              <p>It is free of charge.</p>
            </>
          ),
        },
        {
          id: "accounts",
          title: "Your account",
          body: (
            <Points>
              <li>
                Accounts are for adults. Please give your real name, because other families see it beside your comments.
              </li>
              <li>
                Keep your password to yourself. A second parent or a grandparent can have an account of their own; the
                camp’s office can send an invitation.
              </li>
              <li>Tell us at once if you believe that somebody else is using your account.</li>
              <li>You can delete your account at any time on your profile page.</li>
              <li>
                We may close an account that is used against these terms. We say why, unless that would harm somebody.
              </li>
            </Points>
          ),
        },
        {
          id: "videos",
          title: "Videos and pictures of children",
          body: (
            <>
              <p>
                They are shown so that families can take part. You may watch them, and send a link to family and friends
                of the children. Without our written consent you may not:
              </p>
              <Points>
                <li>publish or post them anywhere, in whole or in part;</li>
                <li>copy them for other people, or sell them;</li>
                <li>name, single out or mock a child in them;</li>
                <li>run face recognition on them, collect them by software, or use them to train software;</li>
                <li>get around the limits that we have set on who may watch.</li>
              </Points>
              <p>
                If you do not want your child to be seen,{" "}
                <Link to={paths.contact} className="link">
                  tell us
                </Link>
                . We take the video down first and talk afterwards; see the{" "}
                <Link to={`${paths.privacy}#children`} className="link">
                  Privacy Policy
                </Link>
                .
              </p>
            </>
          ),
        },
        {
          id: "comments",
          title: "Comments",
          body: (
            <>
              <p>
                Kind words are welcome, also short ones. Children may read them when they come home. Please do not
                write:
              </p>
              <Points>
                <li>anything hurtful, indecent or untrue about a child, a family or a member of staff;</li>
                <li>full names, bunks, health or other private matters of somebody else’s child;</li>
                <li>advertising, or appeals for money;</li>
                <li>anything that is not yours to publish.</li>
              </Points>
              <p>
                What you write stays yours; you let us show it here. You can delete your comments, readers can report
                any, and staff may hide or delete them.
              </p>
            </>
          ),
        },
        {
          id: "news",
          title: "News and emergencies",
          body: (
            <>
              <p>
                We mean to post a video every night of the season on which we film, usually between 7 and 9 PM, and
                updates when there is something to tell. Weather, the calendar and children come first, so that we
                cannot promise a time, or that your child is in each video.
              </p>
              <p>
                <strong className="font-medium">The portal is not for emergencies.</strong> Messages and comments may be
                read only later. When something is urgent, call
                {phone ? (
                  <>
                    {" "}
                    <a href={`tel:${phone.replace(/[^+\d]/g, "")}`} className="link">
                      <bdi dir="ltr" className="whitespace-nowrap tabular-nums">
                        {phone}
                      </bdi>
                    </a>
                    .
                  </>
                ) : (
                  " the camp’s office."
                )}{" "}
                Should something concern your child, we call you; we do not post it.
              </p>
            </>
          ),
        },
        {
          id: "payments",
          title: "Your payment plan",
          body: (
            <p>
              The payment information on your profile shows what the office has recorded. It may lag a few days behind,
              and it is not an invoice. You cannot pay through the portal. If something looks wrong, tell the office; we
              look at our books together and correct what needs correcting. Cancellation and refunds follow the
              enrollment agreement.
            </p>
          ),
        },
        {
          id: "store",
          title: "The store",
          body: (
            <Points>
              <li>
                What the Store page shows is an invitation to ask, not yet an offer. An order is made when we confirm
                price, size and delivery to you in writing.
              </li>
              <li>
                Colors may look a little different on a screen. If a thing arrives damaged or is not what you ordered,
                tell us within 14 days and we exchange it or give the money back. What the law grants you beyond that
                stays yours.
              </li>
              <li>
                A shop of another company inside the page has terms of its own; the contract is then with that company.
              </li>
            </Points>
          ),
        },
        {
          id: "fair-use",
          title: "Fair use of the portal",
          body: (
            <p>
              Please do not try to break in, to overload it, to collect addresses or content by software, or to pass for
              somebody else. If you find a weakness, tell us before anybody else; we shall be grateful and will not hold
              it against you.
            </p>
          ),
        },
        {
          id: "ours",
          title: "What belongs to whom",
          body: (
            <p>
              Videos, pictures, texts, drawings, name and logo belong to the camp or to those who let us use them. Links
              and players of other companies follow their own terms.
            </p>
          ),
        },
        {
          id: "liability",
          title: "What we answer for",
          body: (
            <p>
              We run the portal with care, but offer it as it is: it may be down, or contain mistakes, and we may change
              or end parts of it. As far as the law allows, we do not answer for indirect loss that comes from its use.
              Nothing here limits what we owe you or your child by law, by the enrollment agreement, or for harm done on
              purpose or by gross negligence.
            </p>
          ),
        },
        {
          id: "changes",
          title: "Changes, and the law",
          body: (
            <>
              <p>
                The date at the top is the day on which this text last changed. When a change matters, we tell those who
                have an account by email, at least two weeks ahead. If you go on using the portal after that, the new
                text holds.
              </p>
              <p>
                The law of the place where the camp has its office applies. If one rule here turns out not to be valid,
                the others still are.
              </p>
            </>
          ),
        },
        {
          id: "contact",
          title: "Questions",
          body: (
            <>
              <p>If something here is unclear or seems unfair, tell us.</p>
              <HowToReachUs />
            </>
          ),
        },
      ]}
    />
  );
}
