import { globSync } from 'tinyglobby';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeHtml } from '../../../services/decoder/html/html.js';
import { chunksOf, spec } from '../chunker/cutting.js';
import { expectInvariants } from '../chunker/invariants.js';

const textOf = (html: string): string =>
  decodeHtml(html)
    .blocks.map((block) => block.text)
    .join('');

describe('an HTML document', () => {
  it('gives its main content as Markdown-like text, without what frames it', () => {
    const html = `<!doctype html><html><head><title> The &amp; title </title><style>p{}</style></head><body>
      <nav><a href="/">Home</a></nav><header>Site <b>banner</b></header>
      <main><h1>Guide <a class="headerlink" href="#x">¶</a></h1>
      <p>Caf&eacute; &lt;b&gt; and
         <b>more</b><br>next</p>
      <ul><li>one</li><li>two<ul><li>inner</li></ul></li></ul>
      <ol start="3"><li>three</li></ol>
      <pre><code class="language-js">const a = 1
# not a heading</code></pre>
      <aside>Note this.</aside><script>x()</script></main>
      <footer>Imprint</footer></body></html>`;
    expect(textOf(html)).toBe(
      '# Guide\n\nCafé <b> and more\nnext\n\n- one\n- two\n  - inner\n3. three\n\n' +
        '```js\nconst a = 1\n# not a heading\n```\n\nNote this.\n',
    );
    expect(decodeHtml(html).attributes).toEqual({ title: 'The & title' });
    expect(decodeHtml(html).blocks.map(({ kind }) => kind)).toEqual([
      ...['heading', 'paragraph', 'list', 'list', 'list', 'list', 'code', 'paragraph'],
    ]);
  });

  it('keeps the columns of merged cells, and repeats what spans rows', () => {
    const html = `<table><tr><th>a</th><th colspan=2>b|c</th></tr>
      <tr><td rowspan=2>x</td><td>1</td><td>2</td></tr><tr><td>3</td><td><p>4</p><p>5</p></td></tr></table>`;
    expect(textOf(html)).toBe('| a | b\\|c |  |\n| --- | --- | --- |\n| x | 1 | 2 |\n| x | 3 | 4 5 |\n');
  });

  it('reads a table that lays out the page as text', () => {
    expect(textOf('<table><tr><td><h2>T</h2><p>one</p></td></tr></table>')).toBe('## T\n\none\n');
  });

  it('keeps the title that stands in the page’s header', () => {
    expect(textOf('<header>Site<h1>Title</h1></header><p>Text</p>')).toBe('# Title\n\nText\n');
  });

  it('gives all text when there is nothing but navigation', () => {
    expect(textOf('<nav>Only this</nav>')).toBe('Only this\n');
    expect(textOf('')).toBe('');
    expect(textOf('<html><body><p> &nbsp;</p></body></html>').trim()).toBe('');
  });

  it('survives what is unclosed, crossed and nested without end', () => {
    expect(textOf('<p>a<b>b<i>c</b>d<table><td>e<h1>f')).toContain('f');
    const deep = `${'<div>'.repeat(3_000)}deep${'<ul><li>'.repeat(2_000)}item`;
    expect(textOf(deep)).toContain('item');
  });

  it('has invariants that hold for real pages', () => {
    const pages = [
      ...globSync('/usr/share/doc/**/*.html', { absolute: true }),
      ...globSync('node_modules/**/*.html', { absolute: true }),
    ].slice(0, 60);
    expect(pages.length, 'HTML pages that installed packages ship').toBeGreaterThan(0);
    for (const page of pages) {
      const { blocks } = decodeHtml(readFileSync(page, 'utf8'));
      const text = blocks.map((block) => block.text).join('');
      for (const chunkerSpec of [spec({}), spec({ size: 60, overlap: 6 })]) {
        expectInvariants(chunkerSpec, text, chunksOf(chunkerSpec, [blocks]));
      }
    }
  });
});
