/** What policies and access rules refuse. */
export const accessRefusals = {};
