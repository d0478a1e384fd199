import { Link } from "../../lib/navigation";
import { PageMeta } from "../../lib/page";
import { buttonLook } from "../../ui/button";
import { firstPage } from "../shared/session";

export const AdminNotFound = () => (
  <div className="grid justify-items-center gap-4 pt-8 text-center">
    <PageMeta title="Page not found" description="Oops! Page not found" />
    <img src="/art/placeholder.svg" alt="" width={640} height={360} className="w-full max-w-sm rounded-lg" />
    <h1 className="text-4xl">404</h1>
    <p className="text-lg text-muted">Oops! Page not found</p>
    <Link to={firstPage} className={buttonLook()}>
      Return to Dashboard
    </Link>
  </div>
);
