/** Suites of others over topics as flows, and topics under a library of others. */
@NullMarked
package io.fairlead.tck;

import org.jspecify.annotations.NullMarked;
