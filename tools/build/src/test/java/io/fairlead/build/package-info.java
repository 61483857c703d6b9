/** What holds the documents to the code. */
package io.fairlead.build;
