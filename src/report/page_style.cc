#include "report/page_sections.h"

namespace ka::report {

void add_page_head(Html& html, std::string_view title) {
  html.raw(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light "
      "dark\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  html.tag("<title>", title, "</title>\n<style>");
}

// Colours have a contrast of at least 4.5 on their ground in both schemes.
const char* const kPageStyle = R"(
:root { color-scheme: light dark; --ground: #fbfbfa; --card: #ffffff; --ink: #1c2024; --soft: #5b636b; --line: #d9dde1;
  --link: #0b5cad; --good: #116b3a; --good-ground: #e2f3e8; --bad: #a5190f; --bad-ground: #fbe5e2; --torch: #7a4d00;
  --torch-ground: #fbefd5; --bar: #4a83c4; --code: #f4f5f6; --keyword: #7a2ea0; --text: #1a6b3c; --comment: #646c74;
  --number: #9a4a00; --name: #0b5cad; --decorator: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ground: #15181b; --card: #1d2125; --ink: #e4e7ea; --soft: #a2abb4;
  --line: #363d44; --link: #7db7f5; --good: #7ddba0; --good-ground: #15351f; --bad: #ff9a90; --bad-ground: #43191a;
  --torch: #f0c274; --torch-ground: #3c2c0b; --bar: #4f8ed6; --code: #191c20; --keyword: #d3a1ef; --text: #8fd4a4;
  --comment: #929ba4; --number: #f0ad72; --name: #7db7f5; --decorator: #e5c07b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header, main, footer { max-width: 1160px; margin: 0 auto; padding: 0 20px; }
h1 { font-size: 1.5rem; margin: 26px 0 6px; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 34px 0 10px; border-bottom: 1px solid var(--line); padding-bottom: 4px; }
h3 { font-size: 1rem; margin: 14px 0 6px; overflow-wrap: anywhere; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
nav { position: sticky; top: 0; background: var(--ground); border-bottom: 1px solid var(--line); z-index: 1; padding:
  8px max(20px, calc(50vw - 560px)); margin-top: 14px; display: flex; flex-wrap: wrap; gap: 4px 16px; }
section { scroll-margin-top: 48px; }
article, .src { scroll-margin-top: 56px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--card); padding: 6px 10px; z-index: 2; }
.soft { color: var(--soft); }
.small { font-size: .87rem; }
.badge { display: inline-block; border-radius: 5px; padding: 1px 8px; font-size: .85rem; font-weight: 600; background:
  var(--code); color: var(--soft); white-space: nowrap; }
.badge.good { background: var(--good-ground); color: var(--good); }
.badge.bad { background: var(--bad-ground); color: var(--bad); }
.badge.torch { background: var(--torch-ground); color: var(--torch); }
.lead { font-size: 1.05rem; margin: 4px 0 8px; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 8px 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.cards { display: grid; gap: 12px; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px;
  content-visibility: auto; contain-intrinsic-size: auto 190px; min-width: 0; }
article h3 { margin-top: 0; }
article:target { border-color: var(--link); box-shadow: 0 0 0 2px var(--link); }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { padding: 2px 12px 2px 0; vertical-align: top; overflow-wrap: anywhere; }
td.num { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.track { background: var(--code); border-radius: 3px; height: 14px; min-width: 120px; margin-top: 4px; }
.bar { background: var(--bar); border-radius: 3px; height: 14px; min-width: 2px; }
.scroll { overflow: auto; max-height: 76vh; border: 1px solid var(--line); border-radius: 8px; background: var(--card);
  }
svg { display: block; margin: 8px auto; font: 13px system-ui, sans-serif; }
svg .box rect { fill: var(--card); stroke: var(--soft); stroke-width: 1.3; }
svg .box text { fill: var(--ink); font-weight: 600; }
svg .box .sub { fill: var(--soft); font-weight: 400; font-size: 11.5px; }
svg .good rect { fill: var(--good-ground); stroke: var(--good); }
svg .bad rect { fill: var(--bad-ground); stroke: var(--bad); }
svg .torch rect { fill: var(--torch-ground); stroke: var(--torch); }
svg .box:focus-visible rect, svg .box:hover rect { stroke-width: 3; }
svg .cut path { fill: none; stroke: var(--soft); stroke-width: 1.3; stroke-dasharray: 5 3; }
svg .cut circle { fill: var(--ground); stroke: var(--bar); stroke-width: 2; }
svg .cut text { fill: var(--soft); font-size: 11px; }
svg marker path { fill: var(--soft); }
svg .cut:hover path { stroke: var(--bar); stroke-width: 2.4; }
svg.chart { max-width: 100%; height: auto; }
svg .grid { stroke: var(--line); }
svg .axis { stroke: var(--soft); }
svg .tick { fill: var(--soft); font-size: 11.5px; }
svg .roof { fill: none; stroke: var(--torch); stroke-width: 1.6; stroke-dasharray: 6 3; }
svg .best { fill: none; stroke: var(--bar); stroke-width: 2; }
svg .lost { fill: var(--card); stroke: var(--soft); stroke-width: 1.3; }
svg .given { fill: var(--bar); stroke: var(--card); }
svg .won { fill: var(--good); stroke: var(--card); }
details { margin: 6px 0; }
summary { cursor: pointer; }
summary code { font-size: .95em; }
pre, code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 12.5px; }
pre { margin: 0; }
.src { display: grid; grid-template-columns: max-content 1fr; background: var(--code); border-radius: 6px; overflow:
  auto; max-height: 80vh; line-height: 1.45; content-visibility: auto; contain-intrinsic-size: auto 400px; }
.src pre { padding: 10px 12px; }
.src .ln { color: var(--comment); text-align: right; user-select: none; border-right: 1px solid var(--line); }
.diff { grid-template-columns: 1fr; }
.diff span { display: block; min-height: 1.45em; }
.diff .ins { background: var(--good-ground); }
.diff .del { background: var(--bad-ground); }
.diff .ins i, .diff .del i, .diff .gap { color: var(--soft); }
.plain { background: var(--code); border-radius: 6px; padding: 8px 12px; overflow: auto; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.py b { color: var(--keyword); font-weight: 600; }
.py i { color: var(--comment); font-style: normal; }
.py u { color: var(--text); text-decoration: none; }
.py a { color: var(--number); }
.py em { color: var(--decorator); font-style: normal; }
.py dfn { color: var(--name); font-style: normal; font-weight: 600; scroll-margin-top: 60px; }
.py dfn:target { outline: 2px solid var(--link); }
.warn { background: var(--torch-ground); color: var(--torch); border-radius: 6px; padding: 8px 12px; overflow-wrap:
  anywhere; }
ul { margin: 6px 0; padding-left: 22px; }
li { overflow-wrap: anywhere; }
footer { margin: 40px auto 30px; color: var(--soft); font-size: .87rem; }
@media (max-width: 640px) { dl { grid-template-columns: 1fr; } dt { margin-top: 4px; } }
@media print { nav { display: none; } .scroll, .src { max-height: none; } }
)";

}  // namespace ka::report
