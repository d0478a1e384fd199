import { Component, type ReactNode } from "react";
import { ErrorState } from "../ui/states";

type Props = { children: ReactNode; small?: boolean };

/** Catches errors of rendering. Most often a page's code could not be loaded, so a reload helps. */
export class ErrorBoundary extends Component<Props, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    if (this.props.small)
      return <p className="text-sm text-muted">This could not be loaded. Please reload the page.</p>;
    return (
      <div className="wrap py-section">
        <ErrorState
          title="This page could not be shown"
          error={new Error("Please check your connection and reload the page.")}
          onRetry={() => location.reload()}
        />
      </div>
    );
  }
}
