import { hash } from 'node:crypto';
import { pageScript } from './page-script.js';
import { pageStyle } from './page-style.js';

export interface Asset {
  readonly type: string;
  readonly text: string;
}

const pageIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1f4f8f"/>
<path d="M7 17l5 5 7-12" fill="none" stroke="#9dc1ee" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>
<path d="M13 17l5 5 7-12" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;

/** The name contains a hash of the content, so browsers can cache the file forever. */
const named = (name: string, ending: string, text: string) =>
  `${name}.${hash('sha256', text, 'hex').slice(0, 16)}.${ending}`;

const style = named('pages', 'css', pageStyle);
const script = named('pages', 'js', pageScript);
const icon = named('icon', 'svg', pageIcon);

export const assets: ReadonlyMap<string, Asset> = new Map([
  [style, { type: 'text/css; charset=utf-8', text: pageStyle }],
  [script, { type: 'text/javascript; charset=utf-8', text: pageScript }],
  [icon, { type: 'image/svg+xml', text: pageIcon }],
]);

export const assetPaths = (root: string) => ({
  style: `${root}/approvals/assets/${style}`,
  script: `${root}/approvals/assets/${script}`,
  icon: `${root}/approvals/assets/${icon}`,
});
