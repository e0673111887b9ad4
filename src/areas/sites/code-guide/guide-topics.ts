import { moduleTypes } from './module-types.api.js';

interface Topic {
  readonly title: string;
  readonly text: string;
}

/** The texts describe the service, so they must be changed together with it. */
export const guideTopics = {
  sdk: {
    title: 'The module @countersign/site',
    text: `Pages and components import the platform's functions and components: \`import { auth, functions, useUser } from '@countersign/site'\`.
The module is always available. It is not listed in \`dependencies\` and cannot be replaced.

- \`auth\`: signup, login, logout, verifyEmail, forgotPassword, resetPassword, updateProfile, me and \`social(provider)\`.
- \`functions.invoke(name, params)\` resolves to the result of a function of the site. \`functions.invokeAccount(idOrName, params)\` calls a function of the workspace whose \`runBy.pages\` is true.
- \`tables\` has the methods of \`ctx.tables\`, with the rights of the visitor.
- \`payments.checkout(offerKey, options)\`, \`email.send(message)\`, \`proxy.fetch(url, { method, headers, body, timeout })\`.
- \`realtime.subscribe(channel, handler)\`, \`realtime.publish(channel, data)\`, \`realtime.presence(channel)\`.
- \`useUser()\`, \`useParams()\`, \`useFunction(name, params)\`, \`useRows(table, { filter, sort, limit })\`, \`Link\`, \`navigate(path)\`, \`RequireRole\`, \`RequireEntitlement\`.

A call that is refused or fails throws \`SiteError { status, code, message }\`.

In an app of your own, build the package with \`npm run pack:site\` in the project of the service, install the file that it creates, and configure the address of the site before any call:
\`configure({ api: 'https://<service>/api/app/<projectId>' })\`. A browser on another origin also needs \`allowedOrigins\` of \`updateProjectAuth\`.

Live messages:

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

\`subscribe\` returns a function that ends the subscription. A client does not receive messages that were published while it was not connected, so store what must not be missed in a table.
Functions publish with \`ctx.realtime.publish(channel, data)\`, at most 32 KB each. Visitors may publish if the rule \`publish\` of \`setChannelAccessRules\` for the channel admits them.
\`useRows\` reads the list again whenever a row in it is added, changed or removed, with the rights of the visitor.

Types, for use in an editor:

\`\`\`ts
${moduleTypes}\`\`\``,
  },
  globals: {
    title: 'What is available without an import',
    text: `The globals of browsers, such as \`window\`, \`document\` and \`fetch\`, and components with \`isGlobal\` (\`createComponent\`, \`updateComponent\`): their tags need no import. Functions of React are imported: \`import { useState } from 'react'\`.
JSX and \`<>…</>\` need no import of React, but \`React.Fragment\` does.
Open pages are rendered to HTML when they are published, without \`window\` or \`document\`: use these only in effects and event handlers. A page that cannot be rendered then is rendered by the browser, and \`listDeployments\` shows the reason.
For any other capitalised tag that is neither imported nor declared, \`verifyBuild\` reports \`undefined-jsx\`.`,
  },
  hooks: {
    title: 'Hooks',
    text: `The hooks of React work as usual: \`import { useEffect, useState } from 'react'\`.

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

\`useUser()\` is null in HTML that is rendered when the site is published, and while the visitor is not signed in.
\`useFunction\` runs when the page is shown, and again when the name or the params change.`,
  },
  navigation: {
    title: 'Pages, paths and links',
    text: `A page has a path: \`/\`, \`/about\`, \`/blog/:slug\`. \`:slug\` matches one segment.
At most one page is active at a path: \`createPage\` and \`setPageActive\` deactivate any other page with that path.
\`isHomePage\` sets the path \`/\`. Pages with \`isDraft\` and inactive pages are not published.
Link with \`<Link href="/about">\` of \`@countersign/site\`, or navigate with \`navigate('/about')\`: both load only what the page needs. \`<a href="/about">\` loads a whole document.
A path that the visitor may not read is requested from the server, which redirects to the sign-in.
\`useParams()\` returns the values of the named segments of the path.
The page at \`/404\` is shown for paths without a page.`,
  },
  libraries: {
    title: 'npm packages',
    text: `\`updateProject { id, dependencies: { zod: '^3.22.0' } }\` replaces the whole set of packages.
A version is one that a registry resolves: \`1.2.3\`, \`^1.2.0\`, \`~1.2\`, \`1.x\`, \`latest\`. URLs, git, files, links and aliases are refused.
React, the bundler, the CSS toolchain and the compiler are pinned and cannot be named.
If a package is refused, the whole set is refused, and the error gives the reason for each refused package: send the set again without them.
\`react\`, \`react-dom\` and \`@countersign/site\` can be imported without naming them.
Then \`bundleDeps { id }\` resolves the set and stores the packages: until then, and after each change of the set, a publish fails with an error that says so.
For an import of a package that is not in the set, \`verifyBuild\` reports \`missing-package\`.`,
  },
  styling: {
    title: 'Styling',
    text: `Pages are styled with Tailwind CSS classes in \`className\`: \`<main className="mx-auto max-w-2xl p-8">\`.
Tailwind is always available and is not listed in \`dependencies\`. \`style={{ … }}\` works as in React.
\`updateProject { id, color: '#0f766e', brandKit: { colors: { sand: '#f5f0e6' }, fonts: { title: 'Georgia, serif' }, radius: '6px' } }\` defines theme tokens, for use in classes from the next publish on: \`bg-brand\` (which is \`color\`), \`bg-sand\`, \`font-title\` and \`rounded-[var(--radius)]\`.

Pictures, fonts and documents are public files: \`createFileUpload { projectId, path: 'logo.png', contentType: 'image/png', size }\` returns a \`url\`, to which you send the file with PUT. The file is then at \`/files/logo.png\` of the site immediately, without a publish.`,
  },
  components: {
    title: 'Pages and components',
    text: `Both are TSX modules for React. The default export of a page is its React component:

\`\`\`tsx
import Hero from '@/components/Hero';

export default function Home() {
  return <Hero title="Welcome" />;
}
\`\`\`

\`layout\` of a page names the component that wraps the page and shows it as its \`children\`. The default is the component \`Layout\` of type layout, if there is one; \`none\` means no layout.
A component is imported by its name as \`@/components/<name>\`; relative imports do not work.
Names of components must be in PascalCase. A site with another name cannot be published, and \`verifyBuild\` reports \`component-name\`.
\`readPage\`, \`editPage\` and \`searchPage\` work on lines of the source. Components and email templates have the same operations.`,
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
Members with edit rights immediately see it in the preview, at \`/preview/<projectId>\` on the address of the service. \`publish { id }\` shows it to visitors; \`getPublishStatus { projectId }\` returns null when the publish is done, or the file and line that failed, and \`publishedUrl\` of \`getProject\` is the address of the site. \`rollBackPublish { projectId, deploymentId }\` makes an earlier deployment of \`listDeployments\` live again.
Change a part with \`editPage { id, oldString, newString }\`; \`oldString\` must occur exactly once, byte for byte.`,
  },
  errors: {
    title: 'Findings of verifyBuild, and refusals',
    text: `\`verifyBuild { projectId }\` returns \`{ ok, warnings: [{ file, line, kind, message }] }\`. Kinds:

- \`syntax\`: the file cannot be parsed, changes a constant, exports a name twice, or imports a path that is computed. Other errors in the file are reported after this one is corrected.
- \`no-default-export\`: the file has no default export.
- \`undefined-jsx\`: a tag that is neither imported nor declared.
- \`unresolved-component\`: an import of a component that does not exist, of a name that it does not export, or a relative import.
- \`missing-package\`: an import of a package that is not in \`dependencies\`, or of a name that \`react\`, \`react-dom\` or \`@countersign/site\` does not export.
- \`component-name\`: a component whose name is not in PascalCase.
- \`brand-kit\`: a value of \`brandKit\` that is not a valid CSS color, font family or length. It is ignored.

\`ok\` is false if any of these, except \`brand-kit\`, is in a component, or in a page that is active and not a draft.
If a page throws while it is shown, its layout shows an error message in its place, and the other pages still work.
A refused call is \`application/problem+json\` with \`code\` and \`detail\`; \`detail\` explains what to do next.`,
  },
  mcp: {
    title: 'AI clients and tools',
    text: `Operations of sites are tools of workspace agents under the name \`site_<operation>\`, such as \`site_editPage\`.
An agent may use the operations that are in its list of tools and that the project's \`aiPermissions\` allow.
An empty \`aiPermissions\` allows all operations. A refusal names the missing key.

AI clients that support MCP connect to \`/mcp\` on the address of the service, with a key or by having a person sign in.
Their tools are the operations that the key may call, and under \`function_<name>\` the active functions that have a \`toolSpec\`:
\`createBackendFunction { projectId, name, code, toolSpec: { inputSchema, kind: 'read' } }\`. \`kind\` is read, write or destructive.

Functions call tools of other servers: \`addMcpConnection\` connects the workspace to one, \`listMcpConnections { tools: true }\` lists its tools,
\`updateBackendFunction { connections: [{ id }] }\` lets a function use it, and \`ctx.connections.call(name, tool, params)\` calls a tool.`,
  },
  access: {
    title: 'Who may see what',
    text: `Every member of the workspace can read a project. Editors, Admins and the Owner can change it.
Conditions decide what users and visitors of the site can access: pages (\`setPageAccessRules\`, \`read\`), functions (\`setBackendFunctionAccessRules\`, \`execute\`),
mail from pages (\`setEmailAccessRules\`, \`send\`), channels (\`setChannelAccessRules\`, \`subscribe\`), the server proxy (\`setServerProxyAccessRules\`, \`execute\`),
tables and fields (\`bases/setTableAccessRules\`). Policies (\`createAccessPolicy\`) are conditions that rules refer to: \`{ policy: id }\`.

A rule is \`{ type: 'authenticated' }\`, \`{ type: 'has_role', roleId }\`, \`{ type: 'user_property', property, operator, value }\`, \`{ type: 'has_entitlement', key }\`,
\`{ type: 'function', functionId }\` (not on pages and tables), \`{ type: 'public', scope }\`, and, only for tables, rules about the row: creator, field_match, relationship, email.
In a list, any one of the rules must match; \`{ all }\`, \`{ any }\` and \`{ not }\` can be nested. Empty rules admit only members with edit rights, and a part that cannot be evaluated admits no one.
The scope 'site' admits calls that come through the site. Other clients can imitate such calls, so use authenticated for real protection.

Every signed-in user can subscribe to a channel without rules. A pattern is a whole name, may end in \`*\`, and may contain \`{self}\` for the id of the subscriber. The rule \`publish\` decides which visitors may publish.
A change of a policy applies everywhere immediately, also to connected visitors: a subscription ends when the right to it ends.
\`setPageAccessRules\` sets who can read a page. \`explainAccess\` explains why a user has access or not, and \`getAccessOverview\` lists everything that has rules.
A page without rules of its own follows \`isProtected\` and \`requiredRole\`; setting rules updates both to match. Page rules are checked while \`authEnabled\` is on.
A list contains, and counts, only the rows that the visitor may read.
A page that a visitor may not read is not sent to their browser, and a change of its rules applies to the next request. Visitors who are not signed in are redirected to \`redirectIfUnauth\` of the page or to \`authPaths.login\`, and signed-in visitors to \`authPaths.accessDenied\`.
\`RequireRole\` and \`RequireEntitlement\` of \`@countersign/site\` only hide content: the code inside them has already been sent.`,
  },
  auth: {
    title: 'Sign-in of visitors',
    text: `\`updateProjectAuth\` sets how visitors sign in: \`authEnabled\`, \`authAllowSignup\`, \`authRequireEmail\`, \`authAllowSocial\`.
\`authPaths\` is merged by key, and null removes a key. \`authSessionHours\` is 1 to 8760; null means 7 days.
\`authCustomFields\` is merged by name: \`{ name, label?, type, required?, options? }\`; null removes all.
\`removeCustomFields\` removes fields before that. The values that users have are retained.
\`authMailAccount\` is the name of an active mailbox that may be used for the site; null means the platform's sender.
\`getProject\` shows all of it under \`auth\`.

Pages sign visitors up and in with \`auth\` of \`@countersign/site\`: \`await auth.login({ email, password })\`. The browser then holds the session in a cookie that scripts cannot read.
\`auth.social('google')\` redirects to a provider that the operator of the service has set up, if \`authAllowSocial\` is on, and then back to \`?next=\` or \`authPaths.afterLogin\`.
A site without pages at \`/login\`, \`/signup\`, \`/forgot-password\`, \`/reset-password\` and \`/verify-email\` has the platform's own pages there. They work without scripts, ask for the custom fields, and continue to \`?next=\`, a path of the site, or to \`authPaths.afterLogin\`.
Links in mails lead to \`authPaths.verifyEmail\` and \`authPaths.resetPassword\` with \`?token=\`, for use with \`auth.verifyEmail({ token })\` and \`auth.resetPassword({ token, password })\`.`,
  },
  payments: {
    title: 'Payments',
    text: `An offer is something that the site sells: \`createOffer { projectId, key: 'gold', name: 'Gold', amount: 1990, currency: 'usd' }\`. Amounts are whole minor units: 1990 is 19.90 USD, and 500 of \`jpy\` is 500 yen.
\`paymentTerm\` is \`'one_time'\` or \`{ every: 1, interval: 'month', trialDays?: 14 }\`. \`accessTerm\` is \`'lifetime'\`, \`{ for: 1, unit: 'year' }\` or, with a recurring payment, \`'while_subscribed'\`.
\`createCoupon { projectId, code: 'SPRING', percentOff: 20, maxRedemptions: 100 }\` discounts a purchase. A coupon with \`amountOff\` is only valid for offers in its currency.

A signed-in visitor buys with \`POST /api/app/<projectId>/payments/checkout { offerKey, couponCode? }\`, which returns \`{ status, paymentId, url?, amount, currency }\`. The status is \`granted\` if access begins immediately, \`pending\` if a member must approve the payment, or \`redirect\` if the visitor pays at \`url\`. \`GET …/payments/offers\` lists what is for sale.
Terms changed with \`updateOffer\` apply to later purchases only. \`isActive: false\` ends the sale. Deleting an offer breaks pages that use its key.
A page sells with \`await payments.checkout('gold')\` of \`@countersign/site\`: if a payment is due, the browser goes to the payment processor and returns to \`successPath\` or \`cancelPath\`.`,
  },
  saas: {
    title: 'Selling access',
    text: `A purchase grants the buyer the entitlement \`entitlementKey\` of the offer (default: the offer's own key). Any condition can test for it: \`{ type: 'has_entitlement', key: 'gold' }\`.
\`grantEntitlement { projectId, appUserId, key, expiresAt?, graceUntil? }\` grants it by hand. \`extendEntitlement\`, \`suspendEntitlement\` and \`revokeEntitlement\` change it, with immediate effect everywhere.
\`getEntitlements { projectId, appUserId }\` returns the current status (active, grace, expired, suspended, revoked) and the history.
\`GET /api/app/<projectId>/auth/me\` lists the keys of the visitor's entitlements. Hiding something in a page based on them protects nothing: put the condition on the page, the function or the table.
\`site.entitlement_expired\` and the other events of entitlements can start functions and flows.`,
  },
  functions: {
    title: 'Functions',
    text: `\`createBackendFunction { projectId, name, code, accessRules }\` creates a function of the site. \`code\` is a function body with \`params\` and \`ctx\`:

\`\`\`js
const { rows, total } = await ctx.tables.getRows('Orders', { filter: { status: 'open' }, sort: [{ field: 'createdAt', dir: 'desc' }], limit: 20 });
return { total, first: rows[0] ?? null };
\`\`\`

\`invokeBackendFunction { projectId, functionName, params }\` calls it as the owner, to try it. Webhooks, schedules, mailhooks and events can start it.
\`accessRules.execute\` sets which visitors may call it: without rules, only the owner may. \`accessRules.runBy\` sets which pages, functions and agents may call it.

- \`ctx.tables\` works on the tables of the project's base: getRows, getRow, createRow, updateRow, deleteRow, upsertRow, searchRows, filterRows, getRowCount, readAll, report, listTables, getTableSchema, bulkUpdateRows, bulkDeleteRows. Names of fields must match exactly, including case. An unknown name is refused with a list of the existing fields.
- A run may make 20, 50 or 100 platform calls, depending on the plan; \`ctx.limits.databaseCalls\` returns \`{ max, used }\`. \`ctx.fetch\` is not counted. Use the bulk calls rather than loops.
- \`ctx.user\` is null or the visitor. \`ctx.files\` stores files. \`ctx.env.get\`, \`ctx.secrets.ref\`, \`ctx.secrets.verifyHmac\` and \`ctx.email\` use the variables, secrets and mailboxes of the site.
- An error thrown by a call has \`code\` and \`status\`.

\`createDataFunction { projectId, name, definition }\` needs no code: it is one get, list, count, create, update or delete on one table, with \`{ "$param": name }\` for values from the caller.

Pages call functions with \`await functions.invoke('name', params)\` of \`@countersign/site\`, or show a result with \`useFunction\`. An error thrown by a function arrives as a \`SiteError\` with the code \`function-failed\`.
A list or a form needs no function: \`tables\` of \`@countersign/site\` has the methods of \`ctx.tables\`, such as \`await tables.createRow('Orders', { title })\`, subject to the rules of the table and its fields for this visitor. Without rules, only members may use a table.`,
  },
  email: {
    title: 'Email',
    text: `Functions send mail with \`ctx.email\` through connected mailboxes (\`automations/createMailAccount\`).
A mailbox with a \`projectId\` is restricted to that site.

Pages send mail with \`await email.send({ to, template, variables })\` or \`email.send({ to, subject, text })\` of \`@countersign/site\`, if the rule \`send\` of \`setEmailAccessRules\` admits the visitor. Without that rule, only members may send.`,
  },
  templates: {
    title: 'Email templates',
    text: `\`createEmailTemplate { projectId, name, slug, subject, content, variables }\` creates an HTML template. Its \`slug\` is in kebab-case.
\`{{name}}\` is replaced by a value, escaped for HTML. If there is no value, it is replaced by the variable's \`default\`, or by nothing.
\`authVerifyTemplateId\` and \`authResetTemplateId\` of \`updateProjectAuth\` select templates of the project; null means the built-in ones.

The site sends receipts, and links to verify an email address and to reset a password. If there is neither a mailbox nor a platform sender, such mail is stored for a day, and \`listOutgoingMail { projectId }\` shows its links.`,
  },
  connectors: {
    title: 'Connected apps',
    text: `Functions call other services with \`ctx.fetch\`, and send secrets to the hosts that are listed for them.

Pages call them with \`await proxy.fetch('https://api.example.com/orders', { headers: { Authorization: 'Bearer {{secret:API_KEY}}' } })\` of \`@countersign/site\`, which resolves to \`{ status, headers, body, encoding? }\`, whatever the status, and \`encoding: 'base64'\` means that the body is binary data in base64.
\`setServerProxyAccessRules { projectId, accessRules: { execute } }\` sets which visitors may use it: without rules, only members may.
\`{{secret:API_KEY}}\` in the URL, a header or the body is replaced on the server by that variable of \`createEnvVar\`, only for the variable's \`allowedHosts\` and for callers whom its \`useRules\` admit. A redirect never sends it to another host, and in a response it is replaced by \`***\`. An unknown name is refused with 400.
\`serverProxy { projectId, url, method, headers, body, timeout }\` does the same for members.
Request and response bodies may be at most 10 MB each. \`timeout\` is in milliseconds: 30,000 by default and at most 60,000.

Functions can also call the tools of MCP servers that the workspace is connected to:

\`\`\`js
const found = await ctx.connections.call('Orders', 'search', { text: params.text });
return found;
\`\`\`

\`listMcpConnections { tools: true }\` lists the connections and their tools. The function's \`connections\` must list the connection, as \`[{ id, tools }]\`; without \`tools\`, the function may call all tools. \`connections/addMcpConnection { name, serverUrl, apiKey }\` adds one.`,
  },
} as const satisfies Readonly<Record<string, Topic>>;
