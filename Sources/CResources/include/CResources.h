#ifndef LULL_CRESOURCES_H
#define LULL_CRESOURCES_H

#include <stddef.h>

/* A file that is built into Lull. */
typedef struct {
  const unsigned char *_Nonnull bytes;
  size_t length;
} lull_resource;

/* Tables that rules, prices of energy and radios are read from. */
lull_resource lull_resource_scoring(void);
lull_resource lull_resource_energy(void);
lull_resource lull_resource_radios(void);

/* Programs for the kernel, which Sources/KernelPrograms/build makes. */
lull_resource lull_resource_recorder(void);
lull_resource lull_resource_sockets(void);
lull_resource lull_resource_transfers(void);

/* The report's page: its style sheets and its scripts, each in one, and its templates. */
lull_resource lull_resource_style(void);
lull_resource lull_resource_script(void);
lull_resource lull_resource_page_report(void);
lull_resource lull_resource_page_head(void);
lull_resource lull_resource_page_verdict(void);
lull_resource lull_resource_page_timeline(void);
lull_resource lull_resource_page_findings(void);
lull_resource lull_resource_page_finding(void);
lull_resource lull_resource_page_tables(void);
lull_resource lull_resource_page_recording(void);
lull_resource lull_resource_page_comparison(void);

#endif
