import { useSite } from "../api/queries";
import { Link } from "../lib/navigation";
import { paths } from "../lib/paths";
import { telephone } from "../lib/telephone";
import { splitScripts } from "../ui/two-scripts";
import { HowToReachUs, LegalDocument, LegalShell, Points } from "./document";
import "../ui/more-icons";

/** The date on which this text was last changed. Change both together. */
const updated = "2026-11-22";
const title = "Terms of Service";

export const Shell = () => <LegalShell title={title} updated={updated} />;

export default function TermsOfService() {
  const site = useSite();
  const [camp] = splitScripts(site?.site_name ?? "the camp");
  const phone = site?.contact_phone;
  return (
    <LegalDocument
      title={title}
      description="The rules for using this site: accounts, videos of children, comments, payments and the store."
      updated={updated}
      lede={
        <>
          <p>
            These are the rules for using this site. Most of them come down to one: treat other people’s children the
            way you want yours to be treated.
          </p>
          <p>By using this site you agree to them. If you don’t agree, please don’t use it, and call us instead.</p>
        </>
      }
      parts={[
        {
          id: "portal",
          title: "What this site is",
          body: (
            <>
              <p>
                {camp} runs this site to show families their days at camp, to send updates, and to answer questions.
                These rules add to the agreement you signed when you enrolled your child. Where the two differ, that
                agreement comes first.
              </p>
              <p>It is free.</p>
            </>
          ),
        },
        {
          id: "accounts",
          title: "Your account",
          body: (
            <Points>
              <li>
                Accounts are for adults. Please use your real name, because other families see it next to your comments.
              </li>
              <li>
                Keep your password to yourself. A second parent or a grandparent can have their own account; the camp’s
                office can send an invitation.
              </li>
              <li>Tell us right away if you think someone else is using your account.</li>
              <li>You can delete your account at any time on your profile page.</li>
              <li>
                We may close an account that breaks these rules. We will tell you why, unless that would harm someone.
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
                We show them so that families can share in the summer. You may watch them and send links to the
                children’s family and friends. Without our written permission you may not:
              </p>
              <Points>
                <li>publish or post them anywhere, in whole or in part;</li>
                <li>copy them for other people, or sell them;</li>
                <li>name, single out or make fun of a child in them;</li>
                <li>run face recognition on them, collect them by software, or use them to train software;</li>
                <li>get around our limits on who may watch.</li>
              </Points>
              <p>
                If you do not want your child to be seen,{" "}
                <Link to={paths.contact} className="link">
                  tell us
                </Link>
                . We take the video down first and talk later; see the{" "}
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
                Kind words are welcome, even short ones. Children may read them when they come home. Please do not
                write:
              </p>
              <Points>
                <li>anything hurtful, indecent or untrue about a child, a family or a member of staff;</li>
                <li>full names, bunks, health or other private details of someone else’s child;</li>
                <li>ads or requests for money;</li>
                <li>anything you have no right to publish.</li>
              </Points>
              <p>
                What you write is yours; you let us show it here. You can delete your comments, readers can report any,
                and staff may hide or delete them.
              </p>
            </>
          ),
        },
        {
          id: "news",
          title: "Updates and emergencies",
          body: (
            <>
              <p>
                We plan to post a video every night that we film, usually between 7 and 9 PM, and updates when there is
                something to tell. Weather, the calendar and the children come first, so we can’t promise a time, or
                that your child is in every video.
              </p>
              <p>
                <strong className="font-medium">This site is not for emergencies.</strong> Messages and comments may not
                be read right away. If something is urgent, call
                {phone ? (
                  <>
                    {" "}
                    <a href={telephone(phone)} className="link">
                      <bdi dir="ltr" className="whitespace-nowrap tabular-nums">
                        {phone}
                      </bdi>
                    </a>
                    .
                  </>
                ) : (
                  " the camp’s office."
                )}{" "}
                If something happens with your child, we call you; we do not post it.
              </p>
            </>
          ),
        },
        {
          id: "payments",
          title: "Your payment plan",
          body: (
            <p>
              Your profile shows what the office has recorded. It may be a few days behind, and it is not an invoice.
              You cannot pay on this site. If something looks wrong, tell the office, and we will correct it together.
              Cancellation and refunds follow the enrollment agreement.
            </p>
          ),
        },
        {
          id: "store",
          title: "The store",
          body: (
            <Points>
              <li>
                The Store page shows what you can ask for. Your order is placed when we confirm the price, size and
                delivery in writing.
              </li>
              <li>
                Colors may look a little different on a screen. If something arrives damaged or is not what you ordered,
                tell us within 14 days and we will exchange it or refund you. This does not limit your rights under the
                law.
              </li>
              <li>Another company’s shop on that page has its own terms; you then buy from that company.</li>
            </Points>
          ),
        },
        {
          id: "fair-use",
          title: "Fair use",
          body: (
            <p>
              Please do not try to break in, overload the site, collect addresses or content by software, or pretend to
              be someone else. If you find a security problem, tell us first. We will be grateful and won’t hold it
              against you.
            </p>
          ),
        },
        {
          id: "ours",
          title: "Who owns what",
          body: (
            <p>
              Videos, pictures, texts, drawings, name and logo belong to the camp or to those who let us use them. Links
              and players of other companies follow their own terms.
            </p>
          ),
        },
        {
          id: "liability",
          title: "Our liability",
          body: (
            <p>
              We run this site with care but offer it as is: it may be down or contain mistakes, and we may change or
              end parts of it. As far as the law allows, we are not liable for indirect losses from using it. Nothing
              here limits what we owe you or your child by law, under the enrollment agreement, or for harm done on
              purpose or by gross negligence.
            </p>
          ),
        },
        {
          id: "changes",
          title: "Changes and the law",
          body: (
            <>
              <p>
                The date at the top is the day this page last changed. If a change matters, we email everyone with an
                account at least two weeks ahead. If you keep using the site after that, the new rules apply.
              </p>
              <p>
                The law of the place where the camp has its office applies. If one rule here is not valid, the others
                still are.
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
