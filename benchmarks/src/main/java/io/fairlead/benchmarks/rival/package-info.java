/** What Fairlead is measured beside over UCX, UCX's own C program and JUCX as it comes, and what all contestants have in common. */
@NullMarked
package io.fairlead.benchmarks.rival;

import org.jspecify.annotations.NullMarked;
