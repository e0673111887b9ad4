import { command } from '../../../engine/operation/bound-operation.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { ProxiedAnswerShape, proxyInput } from './proxy-shapes.api.js';
import { ServerProxy } from './server-proxy.api.js';

export const serverProxyOperations = [
  command('site/serverProxy', {
    summary:
      'Sends an HTTP request from the server. {{secret:NAME}} in the URL, a header or the body is replaced by that secret of the site, if the host is among its allowed hosts.',
    source: 'Sites API, Proxy, chats, connectors',
    permission: 'site.edit',
    group: 'proxy',
    within: 'project',
    tools: 'granted',
    outside: ['sends requests'],
    body: 'large',
    answers: { record: ProxiedAnswerShape },
    input: { projectId: idField, ...proxyInput },
    inject: [ServerProxy],
    handle: ({ projectId, ...sent }, { workspaceId, caller }, proxy) =>
      proxy.send({ workspaceId, projectId }, caller, sent),
  }),
];
