import { moduleTypes } from './module-types.api.js';

interface Topic {
  readonly title: string;
  /** Markdown. */
  readonly text: string;
}

/**
 * Instructions for agents and people who write code of sites. The texts describe the service, so they must be changed
 * together with it.
 */
export const guideTopics = {
  sdk: {
    title: 'The module @countersign/site',
    text: `Pages and components import what they need of the platform: \`import { auth, functions, useUser } from '@countersign/site'\`.
It is there without being named in \`dependencies\`, and cannot be replaced.

- \`auth\`: signup, login, logout, verifyEmail, forgotPassword, resetPassword, updateProfile, me and \`social(provider)\`.
- \`functions.invoke(name, params)\` resolves to what a function of the site returns, \`functions.invokeAccount(idOrName, params)\` to that of a function of the workspace whose \`runBy.pages\` is true.
- \`tables\` has the members of \`ctx.tables\`, judged as the visitor.
- \`payments.checkout(offerKey, options)\`, \`email.send(message)\`, \`proxy.fetch(url, { method, headers, body, timeout })\`.
- \`realtime.subscribe(channel, handler)\`, \`realtime.publish(channel, data)\`, \`realtime.presence(channel)\`.
- \`useUser()\`, \`useParams()\`, \`useFunction(name, params)\`, \`useRows(table, { filter, sort, limit })\`, \`Link\`, \`navigate(path)\`, \`RequireRole\`, \`RequireEntitlement\`.

A call that is refused or fails throws \`SiteError { status, code, message }\`.

In an app of your own, build the package with \`npm run pack:site\` in the project of the service, install the file that it makes, and say where the site is before any call:
\`configure({ api: 'https://<service>/api/app/<projectId>' })\`. A browser on another origin also needs \`allowedOrigins\` of \`updateProjectAuth\`.

Messages as they happen:

\`\`\`tsx
import { realtime, useRows } from '@countersign/site';
import { useEffect, useState } from 'react';

export default function Chat() {
  const [lines, setLines] = useState<string[]>([]);
  const { rows } = useRows('Orders', { filter: { status: 'open' }, sort: [{ field: 'createdAt', dir: 'desc' }] });
  useEffect(() => realtime.subscribe<string>('chat:1', (line) => setLines((before) => [...before, line])), []);
  return <button onClick={() => realtime.publish('chat:1', 'Hello')}>{lines.length} lines, {rows.length} orders</button>;
}
\`\`\`

\`subscribe\` returns what ends it. What was published while nobody was connected does not come later: keep in a table what must not be missed.
Functions publish with \`ctx.realtime.publish(channel, data)\`, 32 KB at most; visitors where \`setChannelAccessRules\` of the channel has \`publish\`.
\`useRows\` reads the list again whenever a row of it changes, comes or goes, with the rights of the visitor.

Types, for an editor:

\`\`\`ts
${moduleTypes}\`\`\``,
  },
  globals: {
    title: 'What is available without an import',
    text: `What browsers bring: \`window\`, \`document\`, \`fetch\`. And components with \`isGlobal\` (\`createComponent\`, \`updateComponent\`): their tags need no import. React is imported: \`import { useState } from 'react'\`.
JSX needs no import of React, but \`React.Fragment\` does; \`<>…</>\` needs none.
Open pages are rendered to HTML when they are published, where there is no \`window\` or \`document\`: use these in effects and event handlers. A page that cannot be rendered there is left to the browser, and \`listDeployments\` says why.
Any other capitalised tag that is neither imported nor declared is the warning \`undefined-jsx\` of \`verifyBuild\`.`,
  },
  hooks: {
    title: 'Hooks',
    text: `The hooks of React work as everywhere: \`import { useEffect, useState } from 'react'\`.

Those of the platform come from \`@countersign/site\`:

\`\`\`tsx
import { useFunction, useParams, useUser } from '@countersign/site';

export default function Order() {
  const { id = '' } = useParams();
  const user = useUser();
  const { data, error, loading, reload } = useFunction<{ total: number }>('order', { id });
  if (loading) return <p>Loading</p>;
  if (error) return <p>{error.message}</p>;
  return <button onClick={reload}>{user?.name} pays {data?.total}</button>;
}
\`\`\`

\`useUser()\` is null in the HTML that is rendered ahead of the browser, and while nobody is signed in.
\`useFunction\` runs when the page shows, and again when the name or the params change.`,
  },
  navigation: {
    title: 'Pages, paths and links',
    text: `A page has a path: \`/\`, \`/about\`, \`/blog/:slug\`. \`:slug\` stands for one segment.
One page at most is active at a path: \`createPage\` and \`setPageActive\` make any other page with that path inactive.
\`isHomePage\` sets the path \`/\`. Pages with \`isDraft\` and inactive pages are left out of a publish.
Link with \`<Link href="/about">\` of \`@countersign/site\`, or go there with \`navigate('/about')\`: both load what the page needs and no document. \`<a href="/about">\` loads the document.
A path that the visitor may not read is asked of the server, which leads to the sign-in.
\`useParams()\` gives what stands for the names of the path.
The page at \`/404\` is shown where there is no page.`,
  },
  libraries: {
    title: 'npm packages',
    text: `\`updateProject { id, dependencies: { zod: '^3.22.0' } }\` sets the whole set of packages.
A version is one that a registry resolves: \`1.2.3\`, \`^1.2.0\`, \`~1.2\`, \`1.x\`, \`latest\`. URLs, git, files, links and aliases are refused.
React, the bundler, the CSS toolchain and the compiler are pinned and cannot be named.
A set with a refused package is refused whole and names each refused package with its reason: send it again without all of them.
\`react\`, \`react-dom\` and \`@countersign/site\` can be imported without naming them.
Then \`bundleDeps { id }\` resolves the set and stores the packages: until then, and after each change of the set, a publish fails and says so.
An import of a package that is not in the set is the warning \`missing-package\` of \`verifyBuild\`.`,
  },
  styling: {
    title: 'Styling',
    text: `Pages are styled with Tailwind CSS classes in \`className\`: \`<main className="mx-auto max-w-2xl p-8">\`.
Tailwind is always there and is not named in \`dependencies\`. \`style={{ … }}\` works as in React.
\`updateProject { id, color: '#0f766e', brandKit: { colors: { sand: '#f5f0e6' }, fonts: { title: 'Georgia, serif' }, radius: '6px' } }\` makes theme tokens, in classes from the next publish on: \`bg-brand\` is \`color\`, \`bg-sand\`, \`font-title\`, \`rounded-[var(--radius)]\`.

Pictures, fonts and documents are public files: \`createFileUpload { projectId, path: 'logo.png', contentType: 'image/png', size }\` answers a \`url\` to send the bytes to as PUT. They are at \`/files/logo.png\` of the site at once, without a publish.`,
  },
  components: {
    title: 'Pages and components',
    text: `Both are TSX modules for React. The default export of a page is the page:

\`\`\`tsx
import Hero from '@/components/Hero';

export default function Home() {
  return <Hero title="Welcome" />;
}
\`\`\`

\`layout\` of a page names the component that wraps it: it shows the page as its \`children\`. Without one it is the component \`Layout\` of type layout, where there is one; \`none\` is no layout.
A component is imported by its name as \`@/components/<name>\`; relative imports lead nowhere.
Names of components are PascalCase: another name breaks a publish, and \`verifyBuild\` says so with \`component-name\`.
\`readPage\`, \`editPage\` and \`searchPage\` work on lines of the source; components and email templates have the same.`,
  },
  examples: {
    title: 'Examples',
    text: `A page with state:

\`\`\`tsx
import { useState } from 'react';

export default function Counter() {
  const [count, setCount] = useState(0);
  return (
    <main className="p-8">
      <button className="rounded bg-blue-600 px-4 py-2 text-white" onClick={() => setCount(count + 1)}>
        Clicked {count} times
      </button>
    </main>
  );
}
\`\`\`

Save it with \`createPage { projectId, name: 'Counter', path: '/counter', content }\`, then call \`verifyBuild { projectId }\`.
The preview shows it at once to members with edit rights: \`/preview/<projectId>\` on the address of the service. \`publish { id }\` shows it to visitors; \`getPublishStatus { projectId }\` is null when it is done, or says which file and line failed, and \`publishedUrl\` of \`getProject\` is where it is. \`rollBackPublish { projectId, deploymentId }\` makes one of \`listDeployments\` live again.
Change a part with \`editPage { id, oldString, newString }\`; \`oldString\` must stand there once, byte for byte.`,
  },
  errors: {
    title: 'Findings of verifyBuild, and refusals',
    text: `\`verifyBuild { projectId }\` answers \`{ ok, warnings: [{ file, line, kind, message }] }\`. Kinds:

- \`syntax\`: the file cannot be parsed, changes a constant, exports a name twice, or imports a path that is put together. Other faults of it show when this one is mended.
- \`no-default-export\`: nothing is exported as default.
- \`undefined-jsx\`: a tag that is neither imported nor declared.
- \`unresolved-component\`: an import of a component that is not there, of a name that it does not export, or a relative import.
- \`missing-package\`: an import of a package that \`dependencies\` does not name, or of what \`react\`, \`react-dom\` or \`@countersign/site\` do not export.
- \`component-name\`: a component whose name is not PascalCase.
- \`brand-kit\`: a value of \`brandKit\` that is no color, font family or length of CSS. It is left out.

\`ok\` is false while such a fault, other than the last, is in a component, or in a page that is active and no draft.
A page that throws while it shows is replaced by a sentence in its layout, and the other pages go on.
A refused call is \`application/problem+json\` with \`code\` and \`detail\`; \`detail\` says what to do next.`,
  },
  mcp: {
    title: 'AI clients and tools',
    text: `Operations of sites are tools of workspace agents under the name \`site_<operation>\`, such as \`site_editPage\`.
An agent may use those that its list of tools names and that the project's \`aiPermissions\` allow.
An empty \`aiPermissions\` allows all; a refusal names the key that is missing.

AI clients that speak MCP connect to \`/mcp\` on the address of the service, with a key or by signing a person in.
Their tools are the operations that the key may call, and under \`function_<name>\` the active functions that have a \`toolSpec\`:
\`createBackendFunction { projectId, name, code, toolSpec: { inputSchema, kind: 'read' } }\`. \`kind\` is read, write or destructive.

Functions call tools of other servers: \`addMcpConnection\` connects the workspace to one, \`listMcpConnections { tools: true }\` shows its tools,
\`updateBackendFunction { connections: [{ id }] }\` lets a function call it, and \`ctx.connections.call(name, tool, params)\` does.`,
  },
  access: {
    title: 'Who may see what',
    text: `Members: everyone in the workspace reads a project, Editors and up change it.
Users and visitors of the site are let in by conditions: on pages (\`setPageAccessRules\`, \`read\`), functions (\`setBackendFunctionAccessRules\`, \`execute\`),
mail from pages (\`setEmailAccessRules\`, \`send\`), channels (\`setChannelAccessRules\`, \`subscribe\`), the server proxy (\`setServerProxyAccessRules\`, \`execute\`),
tables and fields (\`bases/setTableAccessRules\`). Policies (\`createAccessPolicy\`) are conditions that rules refer to: \`{ policy: id }\`.

A rule is \`{ type: 'authenticated' }\`, \`{ type: 'has_role', roleId }\`, \`{ type: 'user_property', property, operator, value }\`, \`{ type: 'has_entitlement', key }\`,
\`{ type: 'function', functionId }\` (not on pages and tables), \`{ type: 'public', scope }\`, and on tables alone those about the row: creator, field_match, relationship, email.
A list is any of them; \`{ all }\`, \`{ any }\` and \`{ not }\` nest. Empty rules let in members with edit rights alone; a part that cannot be judged lets nobody in.
The scope 'site' admits calls that come through the site. It keeps honest browsers apart and is no wall: use authenticated where it matters.

A channel without rules is open to every user who is signed in. Patterns are whole names, end in \`*\`, or have \`{self}\` for the id of whoever listens; \`publish\` beside \`subscribe\` says which visitors publish.
A change of a policy counts everywhere at once, also for whoever is connected: a subscription ends with the right to it.
\`setPageAccessRules\` says who reads a page. \`explainAccess\` shows why a user is let in or kept out, \`getAccessOverview\` everything that has rules.
A page without saved rules follows \`isProtected\` and \`requiredRole\`; saving rules brings both in line. Page rules are checked while \`authEnabled\` is on.
A list shows a visitor just the rows that they may read, and counts no others.
A page that a visitor may not read is not sent to their browser, and a change of its rules counts at the next request. Whoever is signed out is led to \`redirectIfUnauth\` of the page or to \`authPaths.login\`, whoever is signed in to \`authPaths.accessDenied\`.
\`RequireRole\` and \`RequireEntitlement\` of \`@countersign/site\` only hide: code inside them has been sent.`,
  },
  auth: {
    title: 'Sign-in of visitors',
    text: `\`updateProjectAuth\` says how visitors sign in: \`authEnabled\`, \`authAllowSignup\`, \`authRequireEmail\`, \`authAllowSocial\`.
\`authPaths\` is merged by key, and null removes a key. \`authSessionHours\` is 1 to 8760; null means 7 days.
\`authCustomFields\` is merged by name: \`{ name, label?, type, required?, options? }\`; null clears all.
\`removeCustomFields\` removes fields first and keeps the values that users have.
\`authMailAccount\` names an active mailbox that serves the site; null means the platform's sender.
\`getProject\` shows all of it under \`auth\`.

Pages sign visitors up and in with \`auth\` of \`@countersign/site\`: \`await auth.login({ email, password })\`. The browser then holds the session in a cookie that scripts cannot read.
\`auth.social('google')\` leads to a provider that the operator of the service set up, while \`authAllowSocial\` is on, and back to \`?next=\` or \`authPaths.afterLogin\`.
A site without pages at \`/login\`, \`/signup\`, \`/forgot-password\`, \`/reset-password\` and \`/verify-email\` has those of the platform there. They work without scripts, ask for the custom fields, and lead on to \`?next=\`, a path of the site, or to \`authPaths.afterLogin\`.
Links in mails lead to \`authPaths.verifyEmail\` and \`authPaths.resetPassword\` with \`?token=\`, which \`auth.verifyEmail({ token })\` and \`auth.resetPassword({ token, password })\` take.`,
  },
  payments: {
    title: 'Payments',
    text: `An offer is what the site sells: \`createOffer { projectId, key: 'gold', name: 'Gold', amount: 1990, currency: 'usd' }\`. Amounts are whole minor units: 1990 is 19.90 USD, and 500 of \`jpy\` is 500 yen.
\`paymentTerm\` is \`'one_time'\` or \`{ every: 1, interval: 'month', trialDays?: 14 }\`. \`accessTerm\` is \`'lifetime'\`, \`{ for: 1, unit: 'year' }\` or, with a payment that recurs, \`'while_subscribed'\`.
\`createCoupon { projectId, code: 'SPRING', percentOff: 20, maxRedemptions: 100 }\` takes something off; \`amountOff\` fits offers of its currency alone.

A signed-in visitor buys by \`POST /api/app/<projectId>/payments/checkout { offerKey, couponCode? }\`, which answers \`{ status, paymentId, url?, amount, currency }\`: \`granted\` at once, \`pending\` until somebody approves it, or \`redirect\` to \`url\`. \`GET …/payments/offers\` lists what is for sale.
New terms of \`updateOffer\` are those of later purchases. \`isActive: false\` stops selling; deleting an offer breaks pages that name its key.
A page sells with \`await payments.checkout('gold')\` of \`@countersign/site\`: where there is something to pay, the browser leaves for the processor and comes back to \`successPath\` or \`cancelPath\`.`,
  },
  saas: {
    title: 'Selling access',
    text: `A purchase entitles its buyer to the offer's \`entitlementKey\` (left out: the offer's own key). Whatever has a condition asks for it: \`{ type: 'has_entitlement', key: 'gold' }\`.
\`grantEntitlement { projectId, appUserId, key, expiresAt?, graceUntil? }\` gives the same by hand; \`extendEntitlement\`, \`suspendEntitlement\` and \`revokeEntitlement\` change it, at once and everywhere.
\`getEntitlements { projectId, appUserId }\` tells the status at this moment (active, grace, expired, suspended, revoked) and what happened before.
\`GET /api/app/<projectId>/auth/me\` lists the keys that the visitor has access by. Hiding something in a page by them protects nothing: put the condition on the page, the function or the table.
\`site.entitlement_expired\` and the other events of entitlements can start functions and flows.`,
  },
  functions: {
    title: 'Functions',
    text: `\`createBackendFunction { projectId, name, code, accessRules }\` makes a function of the site; \`code\` is a body with \`params\` and \`ctx\`:

\`\`\`js
const { rows, total } = await ctx.tables.getRows('Orders', { filter: { status: 'open' }, sort: [{ field: 'createdAt', dir: 'desc' }], limit: 20 });
return { total, first: rows[0] ?? null };
\`\`\`

\`invokeBackendFunction { projectId, functionName, params }\` tries it as the owner. Webhooks, schedules, mailhooks and events can start it.
\`accessRules.execute\` says which visitors may call it: without rules nobody but the owner. \`accessRules.runBy\` says which pages, functions and agents may.

- \`ctx.tables\` works on the tables of the project's base: getRows, getRow, createRow, updateRow, deleteRow, upsertRow, searchRows, filterRows, getRowCount, readAll, report, listTables, getTableSchema, bulkUpdateRows, bulkDeleteRows. Names of fields are exact, case counts: an unknown one is refused with the fields that there are.
- A run has 20, 50 or 100 calls of the platform, by the plan; \`ctx.limits.databaseCalls\` tells \`{ max, used }\`. \`ctx.fetch\` does not count. Use the bulk calls rather than loops.
- \`ctx.user\` is null or the visitor. \`ctx.files\` keeps files. \`ctx.env.get\`, \`ctx.secrets.ref\`, \`ctx.secrets.verifyHmac\` and \`ctx.email\` use what belongs to the site.
- An error that a call throws has \`code\` and \`status\`.

\`createDataFunction { projectId, name, definition }\` needs no code: one get, list, count, create, update or delete on one table, with \`{ "$param": name }\` where callers fill in.

Pages call functions with \`await functions.invoke('name', params)\` of \`@countersign/site\`, or show what one returns with \`useFunction\`. What a function throws arrives as a \`SiteError\` with the code \`function-failed\`.
For a list or a form, no function is needed: \`tables\` of \`@countersign/site\` has the members of \`ctx.tables\`, such as \`await tables.createRow('Orders', { title })\`, judged by the rules of the table and its fields for this visitor. Without rules nobody but members may.`,
  },
  email: {
    title: 'Email',
    text: `Functions send mail with \`ctx.email\` through connected mailboxes (\`automations/createMailAccount\`).
A mailbox with a \`projectId\` serves that site alone.

Pages send mail with \`await email.send({ to, template, variables })\` or \`email.send({ to, subject, text })\` of \`@countersign/site\`, where the rule \`send\` of \`setEmailAccessRules\` admits the visitor. Without that rule nobody but members may.`,
  },
  templates: {
    title: 'Email templates',
    text: `\`createEmailTemplate { projectId, name, slug, subject, content, variables }\` makes a template of HTML. Its \`slug\` is in kebab-case.
\`{{name}}\` stands for a value, which is escaped for HTML. A variable without a value has its \`default\`, or nothing.
\`authVerifyTemplateId\` and \`authResetTemplateId\` of \`updateProjectAuth\` choose templates of the project; null means the built-in ones.

The site mails links to verify an email and to reset a password, and receipts. Without a mailbox and without the platform's sender such mail is kept for a day, and \`listOutgoingMail { projectId }\` shows its links.`,
  },
  connectors: {
    title: 'Connected apps',
    text: `Functions reach other services with \`ctx.fetch\` and with secrets for the hosts that their lists name.

Pages reach them with \`await proxy.fetch('https://api.example.com/orders', { headers: { Authorization: 'Bearer {{secret:API_KEY}}' } })\` of \`@countersign/site\`, which resolves to \`{ status, headers, body, encoding? }\`: any status is an answer, and \`encoding: 'base64'\` says that the body is bytes.
\`setServerProxyAccessRules { projectId, accessRules: { execute } }\` says which visitors may: without rules nobody but members.
\`{{secret:API_KEY}}\` in the address, a header or the body is filled in on the server from \`createEnvVar\`, for the variable's \`allowedHosts\` alone and for whom its \`useRules\` admit. No redirect takes it to another host, and an answer that repeats it has \`***\` in its place. An unknown name is refused with 400.
\`serverProxy { projectId, url, method, headers, body, timeout }\` does the same for members.
10 MB at most go each way, and \`timeout\` is 30,000 milliseconds unless you say less, or up to 60,000.

Functions also call the tools of MCP servers that the workspace is connected to:

\`\`\`js
const found = await ctx.connections.call('Orders', 'search', { text: params.text });
return found;
\`\`\`

\`listMcpConnections { tools: true }\` names the connections and their tools. The function's \`connections\` have to list the connection, as \`[{ id, tools }]\`; without \`tools\` it may call all of them. \`connections/addMcpConnection { name, serverUrl, apiKey }\` adds one.`,
  },
} as const satisfies Readonly<Record<string, Topic>>;
