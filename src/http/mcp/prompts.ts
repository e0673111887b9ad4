import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js';
import { refuse } from '../http.refusals.js';

const longest = 10_000;

const buildSite: Prompt = {
  name: 'build-site',
  title: 'Build a site from this description',
  description: 'Builds a site with its pages, tables and functions, and publishes it.',
  arguments: [{ name: 'description', description: 'What the site is for and what it contains.', required: true }],
};

export const prompts: readonly Prompt[] = [buildSite];

/** @throws Refusal mcp-prompt-not-found, mcp-prompt-incomplete */
export function promptOf(name: string, { description = '' }: Readonly<Record<string, string>>): GetPromptResult {
  if (name !== buildSite.name) refuse('mcp-prompt-not-found', { prompt: name.slice(0, 100) });
  if (description.trim() === '' || description.length > longest) refuse('mcp-prompt-incomplete', { longest });
  const text = `Build a site from this description, and publish it:

${description}

First read the resource countersign://guide/getting-started, and those of countersign://guide/code/… that you need. Then work in this order.
1. site_createProject creates the project. It returns the id that all other tools take as projectId.
2. bases_listBases finds the base of the project, and bases_createTable creates the tables.
3. site_createBackendFunction creates the functions that pages call. A page calls one with functions.invoke of '@countersign/site'.
4. site_listPages lists the existing pages; site_updatePage and site_createPage write them in TSX.
5. site_verifyBuild reports errors in them. Correct these.
6. site_publish shows the site to visitors. site_getPublishStatus returns null when it is done, or the reason if it failed.
7. site_getProject returns publishedUrl. Tell the person this address, and what still waits for approval.`;
  return { description: `${buildSite.description}`, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
