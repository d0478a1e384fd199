import { Component, type ReactNode } from "react";
import { ErrorState } from "../ui/states";

type Props = { children: ReactNode };

/** The last net. Most often a page's code could not be fetched, so that loading again helps. */
export class ErrorBoundary extends Component<Props, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return (
      <div className="wrap py-section">
        <ErrorState
          title="This page could not be shown"
          error={new Error("Please check your connection and load it again.")}
          onRetry={() => location.reload()}
        />
      </div>
    );
  }
}
