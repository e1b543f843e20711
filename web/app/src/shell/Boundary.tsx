import { Component, type ReactNode } from "react";

interface BoundaryProps {
  /** What stands in the place of a part that failed; `again` draws the part anew. */
  fallback(error: Error, again: () => void): ReactNode;
  children: ReactNode;
}

/** Keeps the failure of one part of the page from taking the rest with it. */
export class Boundary extends Component<BoundaryProps, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return this.props.fallback(error, () => this.setState({ error: null }));
  }
}
