import {
  type AnchorHTMLAttributes,
  createElement,
  Fragment,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { useUser } from './hooks.js';
import { hrefOf, navigate } from './navigation.js';

/**
 * Whether `navigate` handles the click. Other clicks, such as those with a modifier key or for a new tab, are left to
 * the browser.
 */
function isOurs(event: MouseEvent<HTMLAnchorElement>, { target, download }: AnchorHTMLAttributes<HTMLAnchorElement>) {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  return isPlain && !event.defaultPrevented && (target ?? '_self') === '_self' && download === undefined;
}

export function Link(props: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }): ReactElement {
  const { href, onClick } = props;
  return createElement('a', {
    ...props,
    href: hrefOf(href),
    onClick: (event: MouseEvent<HTMLAnchorElement>) => {
      onClick?.(event);
      if (!isOurs(event, props)) return;
      event.preventDefault();
      navigate(href);
    },
  });
}

interface Guarded {
  fallback?: ReactNode;
  children?: ReactNode;
}

const either = (isLetIn: boolean, { fallback, children }: Guarded): ReactElement =>
  createElement(Fragment, null, isLetIn ? children : fallback);

export function RequireRole({ role, ...shown }: Guarded & { role: string }): ReactElement {
  const user = useUser();
  return either(user !== null && (user.roles.includes(role) || user.roleIds.includes(role)), shown);
}

export function RequireEntitlement({ entitlement, ...shown }: Guarded & { entitlement: string }): ReactElement {
  const user = useUser();
  return either(user?.entitlements.includes(entitlement) === true, shown);
}
