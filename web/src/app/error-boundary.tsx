import { Component, type ReactNode } from "react";
import { ErrorState } from "../ui/states";

const title = "This page could not be shown";
const reload = () => location.reload();

type Props = { children: ReactNode; small?: boolean };

/** Catches rendering errors. Usually a page's code could not be loaded, so reloading helps. */
export class ErrorBoundary extends Component<Props, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override componentDidCatch() {
    if (this.props.small) return;
    document.title = [title, ...document.title.split(" - ").slice(-1)].join(" - ");
    addEventListener("online", reload);
  }

  override componentWillUnmount() {
    removeEventListener("online", reload);
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    if (this.props.small)
      return <p className="text-sm text-muted">This could not be loaded. Please reload the page.</p>;
    return (
      <div className="wrap py-section">
        <ErrorState
          title={title}
          error={new Error("Please check your connection and reload the page.")}
          onRetry={reload}
        />
      </div>
    );
  }
}
