/** {@code fairlead soak}: rounds of random traffic and faults between processes, each judged by what must have happened. */
@NullMarked
package io.fairlead.cli.soak;

import org.jspecify.annotations.NullMarked;
