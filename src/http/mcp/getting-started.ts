/** The guide that AI clients are asked to read first. When the tools change, this text must change with them. */
export const gettingStarted = `# Getting started

You work in one workspace of Countersign, with the rights of the key that you were given. \`workspace_getWorkspace\` says which rights these are.

## What there is

- **Functions** (\`automations_…\`): JavaScript that runs in a sandbox, started by webhooks, schedules, mail, events, pages and you.
- **Sites** (\`site_…\`): pages in TSX, components, functions of their own, app users, access rules, mail and payments.
- **Bases** (\`bases_…\`): tables and rows. Each site has one base.
- **Events, flows and agents** (\`accountEvents_…\`, \`flows_…\`, \`agents_…\`): what starts functions, and work of several steps.
- **The audit** (\`audit_…\`): everything that was changed, by whom, and what it was like before.

A tool named \`function_…\` runs one function of the workspace or of a site.

## How answers read

An answer is JSON. A refusal has \`code\` and \`detail\`; \`detail\` says what to do next.
An answer that begins with "Waiting for approval" is a card: nothing has changed, and a person decides at its link. Show them the link. Cards are decided by people alone, and keys and secrets are set by people alone: there are no tools for them.

## A function

1. \`automations_createFunction { name, code }\`: the code is the body of an async function that sees \`params\` and \`ctx\`, such as \`return { total: params.a + params.b }\`. The resource \`countersign://guide/code/functions\` describes \`ctx\`.
2. \`automations_invokeFunction { id, event }\` tries it: the answer is \`{ result, runId }\`.
3. \`automations_updateFunction { id, isActive: true }\` lets it be started by others.
4. With \`toolSpec: { inputSchema, kind }\` an active function becomes a tool of its own.
5. Where versions are on, a change of code is a draft until \`automations_publishFunction\`. Send \`seenUpdatedAt\` with changes of code.

## A site

1. \`site_createProject { name }\` answers \`{ id }\`. The project has a starter page, a base and a reserved role.
2. \`bases_listBases\` finds its base; \`bases_createTable { baseId, name, fields }\` makes a table.
3. \`site_createBackendFunction { projectId, name, code }\` makes what pages call with \`functions.invoke(name, params)\`. Visitors may call it once its \`accessRules\` let them.
4. \`site_listPages { projectId }\` lists pages, \`site_updatePage\` and \`site_createPage\` write them.
5. \`site_verifyBuild { projectId }\` finds faults; \`site_publish { id }\` shows the site to visitors; \`site_getPublishStatus { projectId }\` is null when that is done.
6. \`site_getProject { id }\` answers \`publishedUrl\`.

How pages and functions of sites are written stands in the resources \`countersign://guide/code/…\`.
`;
