/** Child processes of this same program, none of which outlives its parent. */
@NullMarked
package io.fairlead.cli.process;

import org.jspecify.annotations.NullMarked;
