import { Component, type ReactNode } from 'react';

interface Props {
  readonly children: ReactNode;
  /** What stands in the place of what could not be drawn. */
  readonly shown: (thrown: unknown) => ReactNode;
}

interface State {
  readonly thrown?: { readonly is: unknown };
}

/** What cannot be drawn takes nothing with it but what is inside: without one, React takes away the whole page. */
export class Boundary extends Component<Props, State> {
  override readonly state: State = {};

  static getDerivedStateFromError(thrown: unknown): State {
    return { thrown: { is: thrown } };
  }

  override render(): ReactNode {
    const { thrown } = this.state;
    return thrown ? this.props.shown(thrown.is) : this.props.children;
  }
}
