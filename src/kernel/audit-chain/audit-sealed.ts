/** Type of the events that seal the audit. Each has a signed head of a workspace's chain. */
export const auditSealed = 'AuditSealed';
