/** AI clients are asked to read this guide first. When the tools change, it must change with them. */
export const gettingStarted = `# Getting started

You work in one workspace of Countersign, with the rights of the key that you were given. \`workspace_getWorkspace\` returns these rights.

## What a workspace contains

- **Functions** (\`automations_…\`): JavaScript that runs in a sandbox, started by webhooks, schedules, mail, events, pages and you.
- **Sites** (\`site_…\`): pages in TSX, components, functions of their own, app users, access rules, mail and payments.
- **Bases** (\`bases_…\`): tables and rows. Each site has one base.
- **Events, flows and agents** (\`accountEvents_…\`, \`flows_…\`, \`agents_…\`): triggers of functions, and work of several steps.
- **The audit** (\`audit_…\`): all changes, who made them, and earlier states.

A tool named \`function_…\` runs one function of the workspace or of a site.

## Results

A result is JSON. A refusal has \`code\` and \`detail\`; \`detail\` explains what to do next.
A result that begins with "Waiting for approval" is a card: nothing has changed yet, and a person decides at its link. Show them the link. Only people decide on cards and set keys and secrets, so there are no tools for that.

## A function

1. \`automations_createFunction { name, code }\`: the code is the body of an async function with \`params\` and \`ctx\`, such as \`return { total: params.a + params.b }\`. The resource \`countersign://guide/code/functions\` describes \`ctx\`.
2. \`automations_invokeFunction { id, event }\` calls it, to try it. The result is \`{ result, runId }\`.
3. \`automations_updateFunction { id, isActive: true }\` activates it, so that others can start it.
4. With \`toolSpec: { inputSchema, kind }\` an active function becomes a tool of its own.
5. If versions are on, a change of code is a draft until \`automations_publishFunction\`. Send \`seenUpdatedAt\` with changes of code.

## A site

1. \`site_createProject { name }\` returns \`{ id }\`. The project has a starter page, a base and a reserved role.
2. \`bases_listBases\` finds its base; \`bases_createTable { baseId, name, fields }\` creates a table.
3. \`site_createBackendFunction { projectId, name, code }\` creates a function that pages call with \`functions.invoke(name, params)\`. Visitors may call it if its \`accessRules\` admit them.
4. \`site_listPages { projectId }\` lists pages; \`site_updatePage\` and \`site_createPage\` write them.
5. \`site_verifyBuild { projectId }\` reports errors; \`site_publish { id }\` shows the site to visitors; \`site_getPublishStatus { projectId }\` returns null when that is done.
6. \`site_getProject { id }\` returns \`publishedUrl\`.

The resources that explain how to write pages and functions of sites are \`countersign://guide/code/…\`.
`;
