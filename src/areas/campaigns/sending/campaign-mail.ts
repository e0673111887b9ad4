import type { JsonObject } from '../../../kernel/json/json.js';
import { escapedHtml } from '../../../kernel/text/escaped-html.js';
import { renderTemplate, renderText } from '../../sites/email-template/render-template.api.js';

export interface CampaignTexts {
  readonly subject: string;
  readonly html: string;
  /** The campaign's own text or, if it has none, the text of its HTML. */
  readonly text: string;
  readonly appName: string;
}

export interface Addressee {
  readonly email: string;
  readonly name: string;
  readonly customFields: JsonObject;
}

export interface WrittenCampaign {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/**
 * Placeholders within inserted values are not filled in.
 * @throws TemplateTooLarge
 */
export function writeCampaign(
  { subject, html, text, appName }: CampaignTexts,
  { email, name, customFields }: Addressee,
  unsubscribeUrl: string,
): WrittenCampaign {
  const values = { ...customFields, appName, userName: name, userEmail: email, unsubscribeUrl };
  const written = renderTemplate({ subject, content: html, variables: [] }, values);
  const words = renderText(text, values).trimEnd();
  return {
    subject: [...(written.subject === '' ? appName : written.subject)].slice(0, longestSubject).join(''),
    html: withFooter(written.html, appName, unsubscribeUrl),
    text: `${words}\n\n-- \nYou get this mail as a user of ${appName}. Unsubscribe: ${unsubscribeUrl}\n`,
  };
}

const longestSubject = 998;
const style =
  'display:block!important;visibility:visible!important;margin:24px 0 0;font:12px/1.5 sans-serif;color:#666';

function withFooter(html: string, appName: string, unsubscribeUrl: string): string {
  const link = `<a href="${escapedHtml(unsubscribeUrl)}" style="color:#666">Unsubscribe</a>`;
  const footer = `<div style="${style}">You get this mail as a user of ${escapedHtml(appName)}. ${link}</div>`;
  const end = endOfBody(html);
  return `${html.slice(0, end)}${footer}${html.slice(end)}`;
}

/**
 * Some mail clients drop content after the body, so the footer is inserted before closing tags at the very end. Closing
 * tags elsewhere are ignored, because they can be within a comment.
 */
function endOfBody(html: string): number {
  let end = html.length;
  for (const closing of ['</html>', '</body>']) {
    const rest = html.slice(0, end).trimEnd();
    if (rest.toLowerCase().endsWith(closing)) end = rest.length - closing.length;
  }
  return end;
}
