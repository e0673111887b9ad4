import type { ComponentType } from 'react';
import type { ReadablePage } from './site-data.js';

export interface LoadedPage {
  readonly component: ComponentType;
  readonly leaveOtherStyles: () => void;
}

const sheetsBelow = (folder: string) =>
  [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')].filter(({ href }) =>
    new URL(href).pathname.startsWith(folder),
  );

const linked = (rel: string, href: string): HTMLLinkElement =>
  Object.assign(document.createElement('link'), { rel, href });

/** Resolves when the style sheet is applied, so that no page is shown without its styles. */
function addSheet(href: string): Promise<void> {
  const link = linked('stylesheet', href);
  return new Promise((resolve, reject) => {
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error(`${href} cannot be loaded`));
    };
    document.head.append(link);
  });
}

/** Rejects if the visitor may not load an asset, or if it is no longer served. */
export async function loadPage(base: string, { script, imports, styles }: ReadablePage): Promise<LoadedPage> {
  const folder = `${base}/_site/`;
  const sheet = `${folder}${styles}`;
  const isSheet = ({ href }: HTMLLinkElement) => new URL(href).pathname === sheet;
  for (const name of imports) {
    const href = folder + name;
    if (document.querySelector(`link[rel="modulepreload"][href="${href}"]`) === null) {
      document.head.append(linked('modulepreload', href));
    }
  }
  const [module] = await Promise.all([
    import(/* @vite-ignore */ `${folder}${script}`) as Promise<{ default: ComponentType }>,
    sheetsBelow(folder).some(isSheet) ? undefined : addSheet(sheet),
  ]);
  return {
    component: module.default,
    leaveOtherStyles: () => {
      for (const link of sheetsBelow(folder)) if (!isSheet(link)) link.remove();
    },
  };
}
