import { Link } from "../lib/navigation";
import { PageMeta } from "../lib/page";
import { paths } from "../lib/paths";
import { buttonLook } from "../ui/button";
import "../ui/more-icons";

export default function NotFound() {
  return (
    <div className="wrap grid justify-items-center gap-4 pt-section text-center">
      <PageMeta title="Page not found" description="Oops! Page not found" />
      <img src="/art/placeholder.svg" alt="" width={640} height={360} className="w-full max-w-md rounded-lg" />
      <h1 className="text-4xl">404</h1>
      <p className="text-lg text-muted">Oops! Page not found</p>
      <Link to={paths.home} className={buttonLook()}>
        Return to Home
      </Link>
    </div>
  );
}
