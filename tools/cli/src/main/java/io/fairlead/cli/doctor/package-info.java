/** The commands that print what this host and this Fairlead have, and what is wrong with it. */
@NullMarked
package io.fairlead.cli.doctor;

import org.jspecify.annotations.NullMarked;
