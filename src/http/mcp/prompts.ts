import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js';
import { refuse } from '../http.refusals.js';

const longest = 10_000;

const buildSite: Prompt = {
  name: 'build-site',
  title: 'Build a site from this description',
  description: 'Builds a site with its pages, tables and functions, and publishes it.',
  arguments: [{ name: 'description', description: 'What the site is for and what is on it.', required: true }],
};

export const prompts: readonly Prompt[] = [buildSite];

/** @throws Refusal mcp-prompt-not-found, mcp-prompt-incomplete */
export function promptOf(name: string, { description = '' }: Readonly<Record<string, string>>): GetPromptResult {
  if (name !== buildSite.name) refuse('mcp-prompt-not-found', { prompt: name.slice(0, 100) });
  if (description.trim() === '' || description.length > longest) refuse('mcp-prompt-incomplete', { longest });
  const text = `Build a site from this description, and publish it:

${description}

Work in this order, and read the resource countersign://guide/getting-started before, and those of countersign://guide/code/… that you need.
1. site_createProject makes the project. It answers the id that everything else takes as projectId.
2. bases_listBases finds the base of the project, and bases_createTable makes the tables.
3. site_createBackendFunction makes what pages call. A page calls it with functions.invoke of '@countersign/site'.
4. site_listPages shows the pages that are there; site_updatePage and site_createPage write them in TSX.
5. site_verifyBuild finds faults in them. Mend what it lists.
6. site_publish shows the site to visitors. site_getPublishStatus answers null when it is done, or says what failed.
7. site_getProject answers publishedUrl. Tell the person this address, and what still waits for an approval.`;
  return { description: `${buildSite.description}`, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
