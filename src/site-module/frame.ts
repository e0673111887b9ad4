import { Component, type ComponentType, createElement, type ReactElement, type ReactNode } from 'react';
import { PlaceContext } from './hooks.js';
import type { Place } from './route.js';

/** Shows an error message in place of a page that throws while rendering. React writes the error to the console. */
class Boundary extends Component<{ children?: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return createElement(
      'main',
      { role: 'alert', style: { maxWidth: '32rem', margin: '4rem auto', padding: '0 1rem', fontFamily: 'system-ui' } },
      createElement('h1', null, 'This page has an error'),
      createElement('p', null, 'It cannot be shown. Reload it, or tell the owner of this site.'),
    );
  }
}

const inLayout = Symbol.for('countersign.layout');

export type FramedPage = ComponentType & {
  readonly [inLayout]?: { readonly Layout: ComponentType<{ children?: ReactNode }>; readonly Page: ComponentType };
};

/**
 * Puts the error boundary inside the layout, so that the layout, which often has the links to other pages, remains if
 * the page throws.
 */
function inside(page: FramedPage): ReactElement {
  const parts = page[inLayout];
  if (parts === undefined) return createElement(page);
  return createElement(parts.Layout, null, createElement(Boundary, null, createElement(parts.Page)));
}

/** Wraps a page in the same way in the browser and on the server, so that the browser can hydrate the HTML. */
export const framed = (page: FramedPage, place: Place): ReactElement =>
  createElement(PlaceContext, { value: place }, createElement(Boundary, { key: place.path }, inside(page)));
