/** Needs no token, so it says nothing of the project. */
export const FRONT_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>hotcell</title>
<h1>hotcell</h1>
<p>This server runs the tools that a language model asks for, in sessions of one project.</p>
<p>Programs use it over <code>/api</code> and <code>/ws</code>, with the header
<code>Authorization: Bearer TOKEN</code>. The token is in the file that <code>hotcell serve</code> named.
All routes are in <code>/api/openapi.json</code>.</p>
</html>
`;
