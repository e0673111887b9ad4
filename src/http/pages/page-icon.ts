/** Icon of two pen strokes: a request and its countersignature. */
export const pageIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1f4f8f"/>
<path d="M7 17l5 5 7-12" fill="none" stroke="#9dc1ee" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>
<path d="M13 17l5 5 7-12" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;
