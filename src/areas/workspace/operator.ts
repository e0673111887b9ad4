import type { Actor } from '../../kernel/event.js';

/** The person who runs the service and its command line. */
export const operator: Actor = { kind: 'operator', id: 'operator', name: 'Operator' };
