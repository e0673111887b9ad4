/** What the API of a site's visitors refuses. */
export const visitorsRefusals = {};
