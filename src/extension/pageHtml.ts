// The page of a view: its own script and style from dist/webview, nothing else.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { textsElement } from '../shared/pageTexts';

function webviewFolder(extension: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extension, 'dist', 'webview');
}

/** What a view's bundle is called in dist/webview. */
export type Page = 'report' | 'compare' | 'panel' | 'acceptLog';

const titles: Readonly<Record<Page, string>> = {
  report: vscode.l10n.t('Moire report'),
  compare: vscode.l10n.t('Moire comparison'),
  panel: vscode.l10n.t('Moire completions'),
  acceptLog: vscode.l10n.t('Moire accept log'),
};

/** Puts the page into a webview, which may load nothing but it. */
export function showPage(webview: vscode.Webview, extension: vscode.Uri, page: Page): void {
  webview.options = { enableScripts: true, localResourceRoots: [webviewFolder(extension)] };
  webview.html = pageHtml(webview, extension, page);
}

function pageHtml(webview: vscode.Webview, extension: vscode.Uri, page: Page): string {
  const nonce = randomBytes(16).toString('base64');
  const at = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(webviewFolder(extension), file)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource} 'nonce-${nonce}'`,
    `img-src ${webview.cspSource} data:`,
    `font-src ${webview.cspSource}`,
  ].join('; ');
  const texts = vscode.l10n.bundle;
  // The control kit reads its nonce from the csp-nonce meta element.
  return `<!DOCTYPE html>
<html lang="${texts === undefined ? 'en' : vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta property="csp-nonce" content="${nonce}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titles[page].replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</title>
<link rel="stylesheet" href="${at(`${page}.css`)}">
</head>
<body>
${textsElement(texts)}
<script nonce="${nonce}" src="${at(`${page}.js`)}"></script>
</body>
</html>`;
}
