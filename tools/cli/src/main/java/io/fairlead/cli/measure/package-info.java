/** What measuring has in common: contestants, their times round by round, and reports. */
@NullMarked
package io.fairlead.cli.measure;

import org.jspecify.annotations.NullMarked;
