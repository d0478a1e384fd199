import { PageMeta } from "../lib/page";

/** The staff area's own sitemap and layout start here. */
export default function Admin() {
  return (
    <main className="wrap py-section">
      <PageMeta title="Staff" description="The staff area." />
      <h1>Staff area</h1>
    </main>
  );
}
