#include "resource.h"

/* In the order in which they build on one another. */
static const unsigned char style[] = {
#embed "../Reporting/HTML/Style/base.css"
    , '\n',
#embed "../Reporting/HTML/Style/verdict.css"
    , '\n',
#embed "../Reporting/HTML/Style/timeline.css"
    , '\n',
#embed "../Reporting/HTML/Style/findings.css"
    , '\n',
#embed "../Reporting/HTML/Style/tables.css"
    , '\n',
#embed "../Reporting/HTML/Style/print.css"
};
RESOURCE(style)

static const unsigned char script[] = {
#embed "../Reporting/HTML/Script/basics.js"
    , '\n',
#embed "../Reporting/HTML/Script/grid.js"
    , '\n',
#embed "../Reporting/HTML/Script/moments.js"
    , '\n',
#embed "../Reporting/HTML/Script/power.js"
    , '\n',
#embed "../Reporting/HTML/Script/lanes.js"
    , '\n',
#embed "../Reporting/HTML/Script/figures.js"
    , '\n',
#embed "../Reporting/HTML/Script/drawing.js"
    , '\n',
#embed "../Reporting/HTML/Script/details.js"
    , '\n',
#embed "../Reporting/HTML/Script/input.js"
    , '\n',
#embed "../Reporting/HTML/Script/tables.js"
    , '\n',
#embed "../Reporting/HTML/Script/flame.js"
    , '\n',
#embed "../Reporting/HTML/Script/page.js"
};
RESOURCE(script)

static const unsigned char page_report[] = {
#embed "../Reporting/HTML/Templates/report.mustache"
};
RESOURCE(page_report)

static const unsigned char page_head[] = {
#embed "../Reporting/HTML/Templates/head.mustache"
};
RESOURCE(page_head)

static const unsigned char page_verdict[] = {
#embed "../Reporting/HTML/Templates/verdict.mustache"
};
RESOURCE(page_verdict)

static const unsigned char page_timeline[] = {
#embed "../Reporting/HTML/Templates/timeline.mustache"
};
RESOURCE(page_timeline)

static const unsigned char page_findings[] = {
#embed "../Reporting/HTML/Templates/findings.mustache"
};
RESOURCE(page_findings)

static const unsigned char page_finding[] = {
#embed "../Reporting/HTML/Templates/finding.mustache"
};
RESOURCE(page_finding)

static const unsigned char page_tables[] = {
#embed "../Reporting/HTML/Templates/tables.mustache"
};
RESOURCE(page_tables)

static const unsigned char page_recording[] = {
#embed "../Reporting/HTML/Templates/recording.mustache"
};
RESOURCE(page_recording)

static const unsigned char page_comparison[] = {
#embed "../Reporting/HTML/Templates/comparison.mustache"
};
RESOURCE(page_comparison)
